import { describe, expect, test } from 'vitest';
import { type AccessRequest, evaluate } from '../../../../local/aws/iam/evaluate.ts';
import { parsePolicy } from '../../../../local/aws/iam/policy-document.ts';
import type { AccessDecision } from '../../../../local/aws/model.ts';

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

  test('may do nothing without a policy', () => {
    expect(decide(send, {})).toMatchObject({ allowed: false });
  });

  test.each([
    ['another action', { ...allowSend, Action: 'sqs:ReceiveMessage' }],
    ['another resource', { ...allowSend, Resource: `${queue}-other` }],
    ['all but this action', { Effect: 'Allow', NotAction: 'sqs:Send*', Resource: '*' }],
    ['all but this resource', { Effect: 'Allow', Action: '*', NotResource: queue }],
  ])('gets no permission from a statement on %s', (_name, statement) => {
    expect(decide(send, { identity: [statement] })).toMatchObject({ allowed: false });
  });

  test.each([
    ['of actions, whatever their case', { ...allowSend, Action: 'SQS:send*' }],
    ['of resources', { ...allowSend, Resource: 'arn:aws:sqs:*:*:chang?s' }],
  ])('is allowed by wildcards %s', (_name, statement) => {
    expect(decide(send, { identity: [statement] })).toEqual({ allowed: true });
  });

  test('is refused by an explicit deny of the resource, which is named', () => {
    const deny = { ...allowSend, Effect: 'Deny', Principal: '*' };
    expect(decide(send, { identity: [allowSend], resource: [deny] })).toEqual({
      allowed: false,
      reason: 'explicitly denied by resource policy',
    });
  });

  test('may do what the resource policy allows it by name', () => {
    expect(decide(send, { resource: [{ ...allowSend, Principal: { AWS: role } }] })).toEqual({
      allowed: true,
    });
  });

  test('gets no permission from a resource policy for another principal', () => {
    expect(decide(send, { resource: [{ ...allowSend, Principal: { AWS: `${role}-other` } }] })).toMatchObject(
      {
        allowed: false,
      },
    );
  });
});

describe('a KMS key', () => {
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

  test('refuses an identity that is allowed to use it when the key policy is silent', () => {
    expect(decide(decrypt, { identity, resourceMustAllow: true })).toMatchObject({ allowed: false });
  });

  test('accepts the identity policies of the account that its policy names', () => {
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
  ])('gives access by way of %s: %s', (service, allowed) => {
    const conditional = [{ ...identity[0], Condition: { StringEquals: { 'kms:viaservice': service } } }];
    expect(decide(decrypt, { identity: conditional, resource: [account] }).allowed).toBe(allowed);
  });
});

describe('an AWS service', () => {
  const statement = { ...allowSend, Principal: { Service: 'events.amazonaws.com' } };

  test('needs a resource policy', () => {
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

  test('does not match a resource policy for the account', () => {
    const account = { ...allowSend, Principal: { AWS: 'arn:aws:iam::000000000000:root' } };
    expect(decide(deliver, { resource: [account] })).toMatchObject({ allowed: false });
  });
});

describe('the conditions of a policy', () => {
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
  ])('%s %j hold: %s', (operator, lines, holds) => {
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
  ])('with unsupported %s make the policy unusable', (_name, condition, message) => {
    const read = (): unknown =>
      parsePolicy('Role/inline', { Statement: { ...allowSend, Condition: condition } });
    expect(read).toThrow(message);
    expect(read).toThrow('Role/inline');
  });

  test('with an unsupported statement element make the policy unusable', () => {
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
    'with a policy variable in %s make the policy unusable, because it would be compared literally',
    (_, statement) => {
      expect(() => parsePolicy('p', { Version: '2012-10-17', Statement: statement })).toThrow(
        'has a policy variable',
      );
    },
  );
});
