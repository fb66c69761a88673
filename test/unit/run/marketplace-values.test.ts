import { describe, expect, test } from 'vitest';
import { withMarketplace } from '../../../local/run/marketplace-values.ts';

const SANDBOX = { baseUrl: 'http://127.0.0.1:4568', partnerClientId: 'sandbox-partner' };

function functionWith(variables: Record<string, unknown>) {
  return { Type: 'AWS::Lambda::Function', Properties: { Environment: { Variables: variables } } };
}

describe('a template that is run here', () => {
  test('gets the marketplace by the parameters that its functions refer to, whatever their names', () => {
    const template = {
      Parameters: { ShopUrl: { Type: 'String' }, ShopId: { Type: 'String' } },
      Resources: {
        F: functionWith({ MARKETPLACE_BASE_URL: { Ref: 'ShopUrl' }, PARTNER_CLIENT_ID: { Ref: 'ShopId' } }),
      },
    };
    expect(withMarketplace(template, SANDBOX)).toEqual({
      template,
      parameters: { ShopUrl: 'http://127.0.0.1:4568', ShopId: 'sandbox-partner' },
    });
  });

  test.each([
    ['written in the code', 'https://marketplace.example'],
    ['joined of other values', { 'Fn::Join': ['', ['https://', { Ref: 'Host' }]] }],
  ])('never calls the marketplace that is %s', (_, value) => {
    const real = {
      Parameters: { Host: { Type: 'String', Default: 'marketplace.example' } },
      Resources: {
        F: functionWith({ MARKETPLACE_BASE_URL: value, OTHER: 'kept' }),
        G: { Type: 'AWS::SQS::Queue' },
      },
    };
    const before = structuredClone(real);
    const { template, parameters } = withMarketplace(real, SANDBOX);
    expect(template.Resources.F).toEqual(
      functionWith({ MARKETPLACE_BASE_URL: 'http://127.0.0.1:4568', OTHER: 'kept' }),
    );
    expect(parameters).toEqual({});
    expect(real).toEqual(before);
  });
});
