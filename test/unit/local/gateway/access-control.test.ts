import { expect, test } from 'vitest';
import { type AccessControl, createAccessControl } from '../../../../local/aws/gateway/access-control.ts';
import { parsePolicy } from '../../../../local/aws/iam/policy-document.ts';
import type { AccessDenied, Principal } from '../../../../local/aws/model.ts';

const role: Principal = {
  kind: 'role',
  arn: 'arn:aws:iam::000000000000:role/fetcher',
  sessionArn: 'arn:aws:sts::000000000000:assumed-role/fetcher/f',
  userId: 'AROA:f',
};
const administrator: Principal = {
  ...role,
  kind: 'administrator',
  arn: 'arn:aws:iam::000000000000:user/local',
};
const queue = 'arn:aws:sqs:us-east-1:000000000000:changes';
const bucket = 'arn:aws:s3:::documents';

function control(statements: { role?: object[]; queue?: object[]; bucket?: object[] }): {
  access: AccessControl;
  denied: AccessDenied[];
} {
  const denied: AccessDenied[] = [];
  const policies = (name: string, statement: object[] = []) => [parsePolicy(name, { Statement: statement })];
  const access = createAccessControl({
    policies: {
      ofRole: new Map([[role.arn, policies('role', statements.role)]]),
      ofResource: new Map([
        [queue, policies('queue', statements.queue)],
        [bucket, policies('bucket', statements.bucket)],
      ]),
    },
    accountId: '000000000000',
    clock: { now: () => 42 },
    onDenied: (one) => denied.push(one),
  });
  return { access, denied };
}

const insecure = { Bool: { 'aws:SecureTransport': 'false' } };
const allowPut = { Effect: 'Allow', Action: 's3:PutObject', Resource: `${bucket}/*` };

test('the administrator may do everything', () => {
  expect(() => control({}).access.require(administrator, 'sqs:DeleteQueue', queue)).not.toThrow();
});

test('a refusal names principal, action and resource, and is reported', () => {
  const { access, denied } = control({});
  expect(() => access.require(role, 'sqs:SendMessage', queue)).toThrow(
    `User: ${role.sessionArn} is not authorized to perform: sqs:SendMessage on resource: ${queue}`,
  );
  expect(denied).toEqual([
    { time: 42, principal: role.arn, action: 'sqs:SendMessage', resource: queue, reason: expect.any(String) },
  ]);
});

test('the policy of a bucket applies to its objects', () => {
  const deny = { ...allowPut, Effect: 'Deny', Principal: '*' };
  const { access } = control({ role: [allowPut], bucket: [deny] });
  expect(access.check(role, 's3:PutObject', `${bucket}/a/b.pdf`)).toEqual({
    allowed: false,
    reason: 'explicitly denied by bucket',
  });
});

test('a call counts as made over TLS, as the endpoints of AWS require', () => {
  const { access } = control({
    role: [allowPut],
    bucket: [{ ...allowPut, Effect: 'Deny', Principal: '*', Condition: insecure }],
  });
  expect(access.check(role, 's3:PutObject', `${bucket}/k`)).toEqual({ allowed: true });
});

test('a service is allowed for the resource that it acts for, and for no other', () => {
  const statement = {
    Effect: 'Allow',
    Action: 'sqs:SendMessage',
    Resource: queue,
    Principal: { Service: 'events.amazonaws.com' },
    Condition: {
      ArnEquals: { 'aws:SourceArn': 'arn:rule/one' },
      StringEquals: { 'aws:SourceAccount': '000000000000' },
    },
  };
  const { access, denied } = control({ queue: [statement] });
  const deliver = (rule: string) =>
    access.checkService('events.amazonaws.com', 'sqs:SendMessage', queue, rule).allowed;
  expect(deliver('arn:rule/one')).toBe(true);
  expect(deliver('arn:rule/two')).toBe(false);
  expect(denied).toMatchObject([{ principal: 'events.amazonaws.com' }]);
});

test('policies set by a client replace those of the resource', () => {
  const { access } = control({ role: [allowPut], bucket: [{ ...allowPut, Effect: 'Deny', Principal: '*' }] });
  const put = () => access.check(role, 's3:PutObject', `${bucket}/k`).allowed;
  expect(put()).toBe(false);
  access.setResourcePolicies(bucket, []);
  expect(put()).toBe(true);
});
