import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { createConnectorStack } from './support/stacks.ts';
import { readable } from './support/template.ts';

const stack = createConnectorStack();
const template = Template.fromStack(stack);

describe('the stack', () => {
  it('has exactly the outputs of the design', () => {
    const outputs = Object.entries(template.findOutputs('*')).map(([name, output]) => [
      name,
      readable(output.Value),
    ]);

    expect(Object.fromEntries(outputs)).toEqual({
      EventBusName: 'EventsBus',
      ApiUrl: 'HttpApi.ApiEndpoint',
      WebhookUrl: 'HttpApi.ApiEndpoint/webhooks/marketplace',
      BatchesTableName: 'TablesBatchesTable',
      ListingsTableName: 'TablesListingsTable',
      StoresTableName: 'TablesStoresTable',
      DocumentBucketName: 'BucketsDocumentsBucket',
      ImportBucketName: 'BucketsImportsBucket',
      ChangesQueueUrl: 'QueuesChangesQueue',
      PartnerSecretArn: 'MarketplacePartnerSecret',
    });
  });

  it('asks for the marketplace’s address and the partner client ID, with no default for either', () => {
    for (const name of ['MarketplaceBaseUrl', 'PartnerClientId']) {
      expect(template.findParameters(name)[name]).toMatchObject({ Type: 'String' });
      expect(template.findParameters(name)[name]).not.toHaveProperty('Default');
    }
  });

  it.each([
    ['https://api.marketplace.example', true],
    ['http://127.0.0.1:4568', true],
    ['https://api.marketplace.example/', false],
    ['api.marketplace.example', false],
  ])('takes %s as the base URL: %s', (url, accepted) => {
    const { AllowedPattern } = template.findParameters('MarketplaceBaseUrl').MarketplaceBaseUrl ?? {};
    expect(new RegExp(AllowedPattern).test(url)).toBe(accepted);
  });

  it('belongs to no account or region', () => {
    expect(stack.environment).toBe('aws://unknown-account/unknown-region');
  });

  it('creates the partner secret with a placeholder that says so, under its own key, and keeps it', () => {
    const [secret, ...others] = Object.values(template.findResources('AWS::SecretsManager::Secret'));

    expect(others).toEqual([]);
    expect(JSON.parse(secret?.Properties.SecretString)).toEqual({ partnerSecretKey: 'REPLACE_ME' });
    expect(readable(secret?.Properties.KmsKeyId)).toBe('DataKey.Arn');
    expect(secret?.DeletionPolicy).toBe('Retain');
  });
});
