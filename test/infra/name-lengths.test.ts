import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Construct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { MarketplaceConnector } from '../../infra/marketplace-connector.ts';
import { MOST_NAME_CHARACTERS } from '../../shared/settings/stack-rules.ts';
import { deployedValues } from './support/deployed.ts';
import { createConnectorStack, inlineCode } from './support/stacks.ts';

const parameters = {
  MarketplaceBaseUrl: `https://${'m'.repeat(92)}`,
  PartnerClientId: 'p'.repeat(64),
};

const ofOwnStack = 'S'.repeat(MOST_NAME_CHARACTERS);

function connectorIn(stackName: string, ...ids: string[]): Stack {
  const stack = new Stack(new App(), stackName);
  const parent = ids.slice(0, -1).reduce<Construct>((scope, id) => new Construct(scope, id), stack);
  new MarketplaceConnector(parent, ids.at(-1) ?? 'Connector', {
    marketplaceBaseUrl: parameters.MarketplaceBaseUrl,
    partnerClientId: parameters.PartnerClientId,
    code: inlineCode,
  });
  return stack;
}

describe.each([
  ['a stack of its own', ofOwnStack, () => createConnectorStack({ stackName: ofOwnStack })],
  ['an app of the partner', 'Shop', () => connectorIn('Shop', 'C'.repeat(MOST_NAME_CHARACTERS - 4))],
])('with the longest names that are allowed, in %s,', (_, stackName, create) => {
  const template = Template.fromStack(create());
  const deployed = deployedValues(template, stackName, parameters);

  it('the variables of each function fit into the 4 KB that Lambda takes', () => {
    const functions = Object.entries(template.findResources('AWS::Lambda::Function'));
    const tooLarge = functions
      .map(([id, { Properties }]) => [id, JSON.stringify(deployed(Properties.Environment.Variables)).length])
      .filter(([, bytes]) => Number(bytes) > 4_096);
    expect(tooLarge).toEqual([]);
  });

  it('the policy of each role fits into the 10,240 characters that IAM takes', () => {
    const policies = Object.entries(template.findResources('AWS::IAM::Policy'));
    const tooLarge = policies
      .map(([id, { Properties }]) => [id, JSON.stringify(deployed(Properties.PolicyDocument)).length])
      .filter(([, characters]) => Number(characters) > 10_240);
    expect(policies.length).toBeGreaterThan(10);
    expect(tooLarge).toEqual([]);
  });
});

describe('names around the connector', () => {
  it('are refused when they are too long together', () => {
    expect(() => connectorIn('Production', 'Integrations', 'MarketplaceConnector2026')).toThrow(
      'Production and Integrations and MarketplaceConnector2026 have 46 characters together; the name of the stack and the IDs of the constructs around the connector may have 40',
    );
  });

  it('count without `Default`, which is no part of the names of resources', () => {
    expect(() => connectorIn('S'.repeat(MOST_NAME_CHARACTERS), 'Default')).not.toThrow();
  });
});
