import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { textOf } from '../docs/markdown.ts';
import { connectorTemplate, createConnectorStack } from './support/stacks.ts';
import { functionsOf, readable } from './support/template.ts';

interface Resource {
  readonly Type: string;
  readonly Properties?: Record<string, unknown>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

const stack = createConnectorStack();
const template = Template.fromStack(stack);

describe('the stack', () => {
  it('has exactly these outputs', () => {
    const outputs = Object.entries(template.findOutputs('*')).map(([name, output]) => [
      name,
      readable(output.Value),
    ]);

    expect(Object.fromEntries(outputs)).toEqual({
      EventBusName: 'EventsBus',
      ChangeArchiveArn: 'EventsArchive.Arn',
      ChangesRuleArn: 'EventsChanges.Arn',
      ApiUrl: 'HttpApi.ApiEndpoint',
      WebhookUrl: 'HttpApi.ApiEndpoint/webhooks/marketplace',
      BatchesTableName: 'TablesBatchesTable',
      ListingsTableName: 'TablesListingsTable',
      StoresTableName: 'TablesStoresTable',
      DocumentBucketName: 'BucketsDocumentsBucket',
      ImportBucketName: 'BucketsImportsBucket',
      ChangesQueueUrl: 'QueuesChangesQueue',
      PartnerSecretArn: 'MarketplacePartnerSecret',
      DataKeyArn: 'DataKey.Arn',
      ChangesDeadLettersArn: 'QueuesChangesDeadLetters.Arn',
      WakeDeadLettersArn: 'QueuesWakeDeadLetters.Arn',
      CatalogImportDeadLettersArn: 'QueuesCatalogImportDeadLetters.Arn',
      ProductCommandsDeadLettersArn: 'QueuesProductCommandsDeadLetters.Arn',
      OrderCommandsDeadLettersArn: 'QueuesOrderCommandsDeadLetters.Arn',
      DocumentCommandsDeadLettersArn: 'QueuesDocumentCommandsDeadLetters.Arn',
      SummariesDeadLettersArn: 'QueuesSummariesDeadLetters.Arn',
    });
  });

  it('has outputs that docs/deploy.md and their descriptions explain, also those of settings', () => {
    const own = connectorTemplate({
      alarmEmail: 'operators@partner.example',
      domainName: 'connector.partner.example',
      certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/one',
    });
    const [, section = ''] = textOf('docs/deploy.md').split('## Outputs');
    const [table = ''] = section.split('## ');
    const names = Object.keys(own.findOutputs('*'));

    expect(names).toEqual(expect.arrayContaining(['AlarmTopicArn', 'DomainTarget', 'EventBusName']));
    expect(names.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
    const withoutDescription = Object.entries(own.findOutputs('*'))
      .filter(([, { Description }]) => !Description)
      .map(([name]) => name);
    expect(withoutDescription).toEqual([]);
  });

  it('names the dead-letter queue of every queue in an output', () => {
    const deadLetters = Object.keys(template.findResources('AWS::SQS::Queue'))
      .filter((id) => id.includes('DeadLetters'))
      .map((id) => ({ 'Fn::GetAtt': [id, 'Arn'] }));
    const values = Object.values(template.findOutputs('*')).map(({ Value }) => Value);

    expect(deadLetters.length).toBeGreaterThan(0);
    expect(values).toEqual(expect.arrayContaining(deadLetters));
  });

  it('requires the marketplace address and the partner client ID, without defaults', () => {
    for (const name of ['MarketplaceBaseUrl', 'PartnerClientId']) {
      expect(template.findParameters(name)[name]).toMatchObject({ Type: 'String' });
      expect(template.findParameters(name)[name]).not.toHaveProperty('Default');
    }
  });

  it.each([
    ['https://api.marketplace.example', true],
    ['http://127.0.0.1:4568', true],
    ['http://localhost:4568', true],
    ['http://[::1]:4568', true],
    ['https://[2001:db8::1]:8443', true],
    ['https://api.marketplace.example/partners/v2', true],
    ['https://api.marketplace.example/', false],
    ['api.marketplace.example', false],
    ['http://api.marketplace.example', false],
    ['http://127.0.0.1.marketplace.example', false],
    ['http://localhost@marketplace.example', false],
    ['https://api.marketplace.example/api/v1', false],
    ['https://api.marketplace.example?stage=test', false],
    ['https://api.marketplace.example#test', false],
    ['https://partner:secret@api.marketplace.example', false],
    ['https://api.marketplace.example /v1', false],
    ['https://api.marketplace.example\n', false],
    ['https://', false],
  ])('takes %s as the base URL: %s', (url, accepted) => {
    const { AllowedPattern } = template.findParameters('MarketplaceBaseUrl').MarketplaceBaseUrl ?? {};
    expect(new RegExp(AllowedPattern).test(url)).toBe(accepted);
  });

  it.each([
    ['partner-1', true],
    ['Partner_1.a~b/c=', true],
    ['', false],
    [' partner', false],
    ['partner\n', false],
    ['pärtner', false],
  ])('takes %j as the partner client ID, which is sent as a header: %s', (id, accepted) => {
    const { AllowedPattern } = template.findParameters('PartnerClientId').PartnerClientId ?? {};
    expect(new RegExp(AllowedPattern).test(id)).toBe(accepted);
  });

  it('can share an account and region with another stage: no resource has a fixed name', () => {
    const other = connectorTemplate({ stackName: 'Staging' });
    const namesIn = (stage: Template) =>
      Object.values(stage.toJSON().Resources as Record<string, Resource>)
        // Names of APIs, their stages and inline policies need not be unique.
        .filter(({ Type }) => !/^AWS::(ApiGatewayV2::|IAM::Policy)/.test(Type))
        .flatMap(({ Properties = {} }) => Object.entries(Properties))
        .filter(([property, value]) => /(?<!Metric)Name$/.test(property) && typeof value === 'string')
        .map(([, value]) => value);

    expect(namesIn(template)).toContainEqual(expect.stringContaining('EventsBus'));
    expect(namesIn(other).filter((name) => namesIn(template).includes(name))).toEqual([]);
  });

  it.each([
    ['with its defaults', {}],
    [
      'with every optional part',
      {
        alarmEmail: 'operators@partner.example',
        listingsWarmReadUnits: 12_000,
        senderAccounts: '111111111111',
        permissionsBoundaryArn: 'arn:aws:iam::123456789012:policy/boundary',
        partnerSecretArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:key-Ab12Cd',
        webhookWebAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/webhook/1a2b3c4d',
      },
    ],
  ])('is synthesized without a warning, %s', (_, settings) => {
    const warnings = Annotations.fromStack(createConnectorStack(settings)).findWarning('*', Match.anyValue());
    expect(warnings.map(({ entry }) => entry.data)).toEqual([]);
  });

  it('has a tag for cost allocation', () => {
    expect(stack.tags.tagValues()).toEqual({ application: 'marketplace-connector' });
  });

  it('has the tags of a setting beside it, as the command line gives them', () => {
    const { tags } = createConnectorStack({ tags: 'team=shop,stage=prod' });
    expect(tags.tagValues()).toEqual({ application: 'marketplace-connector', team: 'shop', stage: 'prod' });
  });

  it('gives all of its roles the permissions boundary of a setting', () => {
    const permissionsBoundaryArn = 'arn:aws:iam::123456789012:policy/boundary';
    const roles = Object.values(
      connectorTemplate({ permissionsBoundaryArn }).findResources('AWS::IAM::Role'),
    );
    expect(roles.length).toBeGreaterThan(10);
    for (const { Properties } of roles) expect(Properties.PermissionsBoundary).toBe(permissionsBoundaryArn);
  });

  it('is protected against deletion, except for a trial stack', () => {
    expect(stack.terminationProtection).toBe(true);
    expect(createConnectorStack({ protectData: false }).terminationProtection).toBe(false);
  });

  it('can be cleared away when its first deployment fails: neither it nor a table refuses deletion', () => {
    const first = createConnectorStack({ firstDeployment: true });
    expect(first.terminationProtection).toBe(false);
    const tables = Object.values(Template.fromStack(first).findResources('AWS::DynamoDB::Table'));
    expect(tables.length).toBeGreaterThan(5);
    expect(tables.filter(({ Properties }) => Properties.DeletionProtectionEnabled)).toEqual([]);
  });

  it('keeps each resource with data when it goes, but not when the creation of the resource is rolled back', () => {
    const kept = Object.entries(template.toJSON().Resources as Record<string, Resource>)
      .filter(([, { DeletionPolicy = 'Delete' }]) => DeletionPolicy !== 'Delete')
      .map(([, { Type, DeletionPolicy, UpdateReplacePolicy }]) => [
        Type,
        DeletionPolicy,
        UpdateReplacePolicy,
      ]);
    const typesWithData = [
      'AWS::DynamoDB::Table',
      'AWS::S3::Bucket',
      'AWS::SecretsManager::Secret',
      'AWS::KMS::Key',
    ];
    const expected = Object.values(template.toJSON().Resources as Record<string, Resource>)
      .filter(({ Type }) => typesWithData.includes(Type))
      .map(({ Type }) => [Type, 'RetainExceptOnCreate', 'Retain']);

    expect(expected.length).toBeGreaterThan(10);
    expect(kept).toEqual(expected);
  });

  it('names no resource that it keeps, so that a later stack does not collide with what is left of it', () => {
    const names = Object.values(template.toJSON().Resources as Record<string, Resource>)
      .filter(({ DeletionPolicy = 'Delete' }) => DeletionPolicy !== 'Delete')
      .flatMap(({ Properties = {} }) => Object.keys(Properties))
      .filter((property) => /^(Table|Bucket)?Name$/.test(property));

    expect(names).toEqual([]);
  });

  it('belongs to no account, region or partition', () => {
    expect(stack.environment).toBe('aws://unknown-account/unknown-region');
    const alarmed = connectorTemplate({ alarmEmail: 'operators@partner.example' });
    const text = JSON.stringify([template.toJSON(), alarmed.toJSON()]);
    expect(text).toContain('"arn:",{"Ref":"AWS::Partition"}');
    expect(text).not.toMatch(/arn:aws/);
  });

  it('describes no event bus, which CloudFormation refuses in us-gov-west-1', () => {
    const buses = Object.values(template.findResources('AWS::Events::EventBus'));
    expect(buses.map(({ Properties }) => Object.keys(Properties))).toEqual([['Name']]);
  });

  it('creates the partner secret with an explicit placeholder under its own key, and retains it', () => {
    const [secret, ...others] = Object.values(template.findResources('AWS::SecretsManager::Secret'));

    expect(others).toEqual([]);
    expect(JSON.parse(secret?.Properties.SecretString)).toEqual({ partnerSecretKey: 'REPLACE_ME' });
    expect(readable(secret?.Properties.KmsKeyId)).toBe('DataKey.Arn');
    expect(secret?.DeletionPolicy).toBe('RetainExceptOnCreate');
  });

  it('uses an existing partner secret where one is named, and creates none', () => {
    const partnerSecretArn =
      'arn:aws-us-gov:secretsmanager:us-gov-west-1:123456789012:secret:partner/key-Ab12Cd';
    const named = connectorTemplate({ partnerSecretArn });

    named.resourceCountIs('AWS::SecretsManager::Secret', 0);
    expect(named.findOutputs('PartnerSecretArn').PartnerSecretArn?.Value).toBe(partnerSecretArn);
    const readers = functionsOf(named).flatMap(({ name, statements }) =>
      statements
        .filter(({ actions }) => actions.includes('secretsmanager:GetSecretValue'))
        .map(({ resources }) => [name, ...resources]),
    );
    expect(readers).toContainEqual(['WebhookReceiver', partnerSecretArn]);
    expect(readers.every(([, ...resources]) => resources.join() === partnerSecretArn)).toBe(true);
  });
});
