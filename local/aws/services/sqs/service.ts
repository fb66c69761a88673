import type { AccessControl } from '../../gateway/access-control.ts';
import {
  AwsError,
  type AwsRequest,
  type AwsResponse,
  type AwsService,
  jsonBody,
  jsonOperation,
  jsonResponse,
} from '../../gateway/messages.ts';
import type { Policy } from '../../iam/policy-document.ts';
import { account, arn } from '../../template/account.ts';
import type { Backend } from '../backend.ts';
import { requireKey } from '../key-access.ts';
import { createMessageMoves } from './message-moves.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { givenPolicies } from './queue-policy.ts';
import { partByFault, refuseFault } from './send-fault.ts';

/** IAM has no actions for batch operations, but uses those of the single forms. */
const actions: Readonly<Record<string, string>> = {
  SendMessageBatch: 'SendMessage',
  DeleteMessageBatch: 'DeleteMessage',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
};

const changePolicies = new Set(['CreateQueue', 'SetQueueAttributes', 'DeleteQueue']);
const answersWithUrls = new Set(['CreateQueue', 'GetQueueUrl', 'ListQueues']);

/**
 * SQS: authorizes, then passes on to fauxqs. Handled here: queue URLs that resolve; queue policies, which apply from the
 * answer on; delays and message groups that SQS refuses; moves out of dead-letter queues; and messages received for a caller that has
 * disconnected: these become visible again at once.
 */
export function createSqsService(options: {
  backend: Backend;
  access: AccessControl;
  queues: ReadonlyMap<string, QueueDefinition>;
  /** Base URL of the local AWS, for queue URLs. */
  endpoint: string;
}): AwsService {
  const { backend, access, queues } = options;
  const moves = createMessageMoves(backend);

  return {
    protocol: 'json',
    async handle(request) {
      const operation = jsonOperation(request);
      const input = jsonBody(request);
      if (operation === 'StartMessageMoveTask') return startMove(request, input);
      if (operation === 'ListMessageMoveTasks') {
        access.require(request.principal, `sqs:${operation}`, String(input.SourceArn));
        return jsonResponse(moves.list(input));
      }
      authorize(request, operation, input);
      if (operation === 'ListDeadLetterSourceQueues') {
        const names = await moves.sourcesOf(queueName(input) ?? '');
        return jsonResponse({ queueUrls: names.map((name) => `${options.endpoint}/${account.id}/${name}`) });
      }
      const policies = policiesAfter(operation, input);
      if (operation === 'SendMessage') refuseFault(input);
      if (operation === 'SendMessageBatch') {
        const parted = partByFault(input);
        if (parted.failed.length > 0) return sendPart(request, input, parted);
      }
      const response = await backend.forward({ ...request, rawPath: '/', rawQuery: '' });
      if (policies && response.status === 200) access.setResourcePolicies(policies.queueArn, policies.own);
      if (operation === 'ReceiveMessage' && request.gone()) await handBack(String(input.QueueUrl), response);
      return answersWithUrls.has(operation) ? withUsableUrls(response, options.endpoint) : response;
    },
  };

  function authorize(request: AwsRequest, operation: string, input: Record<string, unknown>): void {
    requireOn(request, actions[operation] ?? operation, queueName(input));
  }

  function requireOn(request: AwsRequest, action: string, name: string | undefined): void {
    access.require(request.principal, `sqs:${action}`, name === undefined ? '*' : arn('sqs', name));
    const keyArn = name === undefined ? undefined : queues.get(name)?.keyArn;
    if (action === 'SendMessage')
      requireKey(access, request.principal, 'GenerateDataKey', { arn: keyArn, service: 'sqs' });
    if (action === 'SendMessage' || action === 'ReceiveMessage') {
      requireKey(access, request.principal, 'Decrypt', { arn: keyArn, service: 'sqs' });
    }
  }

  /** SQS moves messages in its caller's name. */
  async function startMove(request: AwsRequest, input: Record<string, unknown>): Promise<AwsResponse> {
    access.require(request.principal, 'sqs:StartMessageMoveTask', String(input.SourceArn));
    const involved = await moves.queuesOf(input);
    for (const action of ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'])
      requireOn(request, action, involved.source);
    requireOn(request, 'SendMessage', involved.destination);
    return jsonResponse(await moves.start(input, involved));
  }

  async function sendPart(
    request: AwsRequest,
    input: Record<string, unknown>,
    { taken, failed }: { taken: object[]; failed: object[] },
  ): Promise<AwsResponse> {
    if (taken.length === 0) return jsonResponse({ Successful: [], Failed: failed });
    const { 'content-length': _length, ...headers } = request.headers;
    const body = Buffer.from(JSON.stringify({ ...input, Entries: taken }));
    const response = await backend.forward({ ...request, headers, body, rawPath: '/', rawQuery: '' });
    if (response.status !== 200) return response;
    const { Failed = [], ...answer } = JSON.parse(String(response.body)) as { Failed?: object[] };
    return jsonResponse({ ...answer, Failed: [...Failed, ...failed] });
  }

  async function handBack(queueUrl: string, response: AwsResponse): Promise<void> {
    const { Messages = [] } = JSON.parse(String(response.body)) as { Messages?: { ReceiptHandle: string }[] };
    if (Messages.length === 0) return;
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({
      Id: String(index),
      ReceiptHandle,
      VisibilityTimeout: 0,
    }));
    await backend.json('AmazonSQS.ChangeMessageVisibilityBatch', { QueueUrl: queueUrl, Entries });
  }
}

/** The queue's policies after the operation, if it changes them. */
function policiesAfter(
  operation: string,
  input: Record<string, unknown>,
): { queueArn: string; own: Policy[] } | undefined {
  const name = queueName(input);
  if (name === undefined || !changePolicies.has(operation)) return undefined;
  const own = operation === 'DeleteQueue' ? [] : givenPolicies(name, input);
  return own && { queueArn: arn('sqs', name), own };
}

function queueName(input: Record<string, unknown>): string | undefined {
  if (typeof input.QueueUrl === 'string') return input.QueueUrl.split('/').at(-1);
  if (typeof input.QueueName === 'string') return input.QueueName;
  if (input.QueueUrl !== undefined) throw new AwsError('InvalidParameterValue', 'QueueUrl is not a text');
  return undefined;
}

function withUsableUrls(response: AwsResponse, endpoint: string): AwsResponse {
  const body = String(response.body).replaceAll(/https?:\/\/[^"/]+(?=\/\d{12}\/)/g, endpoint);
  const { 'content-length': _length, ...headers } = response.headers;
  return { ...response, headers, body };
}
