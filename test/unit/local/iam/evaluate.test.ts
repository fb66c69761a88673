import { describe, expect, test } from 'vitest';
import { type AccessRequest, evaluate } from '../../../local/iam/evaluate.ts';
import { parsePolicy } from '../../../local/iam/policy-document.ts';
import type { AccessDecision } from '../../../local/model.ts';

const role = 'arn:aws:iam::000000000000:role/producer';
const queue = 'arn:aws:sqs:us-east-1:000000000000:changes';
const send: AccessRequest = {
  caller: { kind: 'identity', arn: role },
  action: 'sqs:SendMessage',
  resource: queue,
};
const deliver: AccessRequest = {
  caller: { kind: 'service', name: 'events.amazonaws.com' },
  action: 'sqs:SendMessage',
  resource: queue,
  context: { 'aws:SourceArn': 'arn:aws:events:us-east-1:000000000000:rule/bus/changes' },
};

function decide(
  request: AccessRequest,
  policies: { identity?: object[]; resource?: object[]; resourceMustAllow?: boolean },
): AccessDecision {
  return evaluate(request, {
    identity: [parsePolicy('identity policy', { Statement: policies.identity ?? [] })],
    resource: [parsePolicy('resource policy', { Statement: policies.resource ?? [] })],
    resourceMustAllow: policies.resourceMustAllow ?? false,
  });
}

const allowSend = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: queue };

describe('an identity', () => {
  test('may do what its policy allows', () => {
    expect(decide(send, { identity: [allowSend] })).toEqual({ allowed: true });
  });

  test('may do nothing that no policy allows', () => {
    expect(decide(send, {})).toMatchObject({ allowed: false });
  });

  test.each([
    ['another action', { ...allowSend, Action: 'sqs:ReceiveMessage' }],
    ['another resource', { ...allowSend, Resource: `${queue}-other` }],
    ['all but this action', { Effect: 'Allow', NotAction: 'sqs:Send*', Resource: '*' }],
    ['all but this resource', { Effect: 'Allow', Action: '*', NotResource: queue }],
  ])('gets nothing from a statement on %s', (_name, statement) => {
    expect(decide(send, { identity: [statement] })).toMatchObject({ allowed: false });
  });

  test.each([
    ['of actions, whatever their case', { ...allowSend, Action: 'SQS:send*' }],
    ['of resources', { ...allowSend, Resource: 'arn:aws:sqs:*:*:chang?s' }],
  ])('is allowed by wildcards %s', (_name, statement) => {
    expect(decide(send, { identity: [statement] })).toEqual({ allowed: true });
  });

  test('is held back by an explicit deny of the resource, and told by which', () => {
    const deny = { ...allowSend, Effect: 'Deny', Principal: '*' };
    expect(decide(send, { identity: [allowSend], resource: [deny] })).toEqual({
      allowed: false,
      reason: 'explicitly denied by resource policy',
    });
  });

  test('may do what the resource allows it by name', () => {
    expect(decide(send, { resource: [{ ...allowSend, Principal: { AWS: role } }] })).toEqual({
      allowed: true,
    });
  });

  test('gets nothing from a resource policy that names another', () => {
    expect(decide(send, { resource: [{ ...allowSend, Principal: { AWS: `${role}-other` } }] })).toMatchObject(
      {
        allowed: false,
      },
    );
  });
});

describe('a key', () => {
  const key = 'arn:aws:kms:us-east-1:000000000000:key/1';
  const decrypt: AccessRequest = {
    ...send,
    action: 'kms:Decrypt',
    resource: key,
    context: { 'kms:ViaService': 'dynamodb' },
  };
  const account = {
    Effect: 'Allow',
    Action: 'kms:*',
    Resource: '*',
    Principal: { AWS: 'arn:aws:iam::000000000000:root' },
  };
  const identity = [{ Effect: 'Allow', Action: 'kms:Decrypt', Resource: key }];

  test('is closed to an identity that is allowed it while the key policy is silent', () => {
    expect(decide(decrypt, { identity, resourceMustAllow: true })).toMatchObject({ allowed: false });
  });

  test('whose policy names the account leaves it to the identity policies', () => {
    expect(decide(decrypt, { identity, resource: [account], resourceMustAllow: true })).toEqual({
      allowed: true,
    });
    expect(decide(decrypt, { resource: [account], resourceMustAllow: true })).toMatchObject({
      allowed: false,
    });
  });

  test.each([
    ['dynamodb', true],
    ['s3', false],
  ])('allowed by way of %s: %s', (service, allowed) => {
    const conditional = [{ ...identity[0], Condition: { StringEquals: { 'kms:viaservice': service } } }];
    expect(decide(decrypt, { identity: conditional, resource: [account] }).allowed).toBe(allowed);
  });
});

describe('an AWS service', () => {
  const statement = { ...allowSend, Principal: { Service: 'events.amazonaws.com' } };

  test('needs the resource policy', () => {
    expect(decide(deliver, {})).toMatchObject({ allowed: false });
    expect(decide(deliver, { resource: [statement] })).toEqual({ allowed: true });
  });

  test.each([
    ['the rule that it acts for', 'arn:aws:events:us-east-1:000000000000:rule/bus/changes', true],
    ['a pattern of rules', 'arn:aws:events:us-east-1:000000000000:rule/bus/*', true],
    ['another rule', 'arn:aws:events:us-east-1:000000000000:rule/bus/other', false],
  ])('with a condition on %s', (_name, sourceArn, allowed) => {
    const conditional = { ...statement, Condition: { ArnLike: { 'aws:SourceArn': sourceArn } } };
    expect(decide(deliver, { resource: [conditional] }).allowed).toBe(allowed);
  });

  test('is not the account that a resource policy names', () => {
    const account = { ...allowSend, Principal: { AWS: 'arn:aws:iam::000000000000:root' } };
    expect(decide(deliver, { resource: [account] })).toMatchObject({ allowed: false });
  });
});

describe('conditions', () => {
  const request = { ...send, context: { 'aws:SecureTransport': 'true', 'aws:PrincipalArn': role } };

  test.each([
    ['StringEquals', { 'aws:PrincipalArn': ['x', role] }, true],
    ['StringNotEquals', { 'aws:PrincipalArn': role }, false],
    ['StringLike', { 'aws:PrincipalArn': 'arn:*:role/prod*' }, true],
    ['StringNotLike', { 'aws:PrincipalArn': 'arn:*' }, false],
    ['ArnNotLike', { 'aws:PrincipalArn': 'arn:aws:iam::*:role/other' }, true],
    ['Bool', { 'aws:SecureTransport': true }, true],
    ['Null', { 'aws:SourceArn': 'true' }, true],
    ['Null', { 'aws:PrincipalArn': 'true' }, false],
    ['StringEquals', { 'aws:SourceAccount': '1' }, false],
    ['StringEqualsIfExists', { 'aws:SourceAccount': '1' }, true],
  ])('%s %j holds: %s', (operator, lines, holds) => {
    expect(decide(request, { identity: [{ ...allowSend, Condition: { [operator]: lines } }] }).allowed).toBe(
      holds,
    );
  });

  test.each([
    [
      'an operator',
      { DateGreaterThan: { 'aws:PrincipalArn': 'x' } },
      'operator DateGreaterThan is not understood',
    ],
    [
      'a key',
      { StringEquals: { 'dynamodb:LeadingKeys': 'x' } },
      'key dynamodb:LeadingKeys is not understood',
    ],
  ])('with %s that is not understood make the policy unusable', (_name, condition, message) => {
    const read = (): unknown =>
      parsePolicy('Role/inline', { Statement: { ...allowSend, Condition: condition } });
    expect(read).toThrow(message);
    expect(read).toThrow('Role/inline');
  });

  test('an element of a statement that is not understood makes the policy unusable', () => {
    expect(() => parsePolicy('p', { Statement: { ...allowSend, NotPrincipal: '*' } })).toThrow(
      'NotPrincipal',
    );
  });

  const ownQueue = `arn:aws:sqs:us-east-1:000000000000:\${aws:PrincipalTag/team}`;
  test.each<[string, object]>([
    ['a resource', { Effect: 'Allow', Action: '*', Resource: ['*', ownQueue] }],
    ['an excluded resource', { Effect: 'Deny', Action: '*', NotResource: ownQueue }],
    [
      'the value of a condition',
      { ...allowSend, Condition: { StringLike: { 'aws:SourceArn': ['x', ownQueue] } } },
    ],
  ])(
    'a policy variable in %s makes the policy unusable: it would be compared as it stands',
    (_, statement) => {
      expect(() => parsePolicy('p', { Version: '2012-10-17', Statement: statement })).toThrow(
        'has a policy variable',
      );
    },
  );
});
