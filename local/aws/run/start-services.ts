import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AccessControl } from '../gateway/access-control.ts';
import type { AwsService } from '../gateway/messages.ts';
import type { LoopbackServer } from '../loopback-server.ts';
import { type Backend, createBackend } from '../services/backend.ts';
import { startDynalite } from '../services/dynalite.ts';
import { tableKind } from '../services/dynamodb/create-tables.ts';
import { createIndexLag } from '../services/dynamodb/index-lag.ts';
import { createDynamoDbService } from '../services/dynamodb/service.ts';
import { tableDefinition } from '../services/dynamodb/table-definition.ts';
import type { Buses } from '../services/eventbridge/buses.ts';
import { busEvent } from '../services/eventbridge/event.ts';
import { createEventBridgeService } from '../services/eventbridge/service.ts';
import { startFauxqs } from '../services/fauxqs.ts';
import { createKmsService, type KeyDefinition } from '../services/kms.ts';
import { bucketDefinition } from '../services/s3/bucket-definition.ts';
import { bucketKind } from '../services/s3/create-buckets.ts';
import { type CreatedObject, createS3Service } from '../services/s3/service.ts';
import { createSecretStore, type SecretStore } from '../services/secretsmanager/secret-store.ts';
import { createSecretsManagerService } from '../services/secretsmanager/service.ts';
import { type QueueDefinition, queueDefinition } from '../services/sqs/queue-definition.ts';
import { queuePolicies } from '../services/sqs/queue-policy.ts';
import { createQueues, type Queues } from '../services/sqs/queues.ts';
import { createSqsService } from '../services/sqs/service.ts';
import { createStsService } from '../services/sts.ts';
import { arn } from '../template/account.ts';
import type { Stack, StackResource } from '../template/read-stack.ts';
import { createResources, type ResourceKind } from './create-resources.ts';

/** The servers that keep the state: DynamoDB, and SQS with S3. */
export interface Backends {
  readonly dynamodb: Backend;
  readonly storage: Backend;
  readonly queues: Queues;
  /** Folder for the run's own files, if state is kept. */
  readonly dataDirectory: string | undefined;
  stop(): Promise<void>;
}

/** @param dataDirectory folder for state, created if missing; in memory when absent */
export async function startBackends(dataDirectory: string | undefined): Promise<Backends> {
  const within = (name: string): string | undefined =>
    dataDirectory === undefined ? undefined : join(dataDirectory, name);
  const directories = [within('tables'), within('queues-and-objects')];
  for (const directory of directories)
    if (directory !== undefined) await mkdir(directory, { recursive: true });
  const [tables, fauxqs] = await Promise.all([startTables(directories[0]), startFauxqs(directories[1])]);
  const dynamodb = createBackend(tables.url, 'dynamodb', `local${randomUUID().replaceAll('-', '')}`);
  const storage = createBackend(fauxqs.url, 'sqs');
  return {
    dynamodb,
    storage,
    queues: createQueues(storage),
    dataDirectory,
    async stop() {
      await Promise.all([dynamodb.close(), storage.destroy()]);
      await Promise.all([tables.stop(), fauxqs.stop()]);
    },
  };
}

/** The server of the tables: dynalite, or the one at `LOCAL_DYNAMODB_URL`. */
async function startTables(directory: string | undefined): Promise<LoopbackServer> {
  const url = process.env.LOCAL_DYNAMODB_URL;
  return url ? { url, stop: async () => {} } : startDynalite(directory);
}

export interface StartedServices {
  /** By credential scope. */
  readonly services: ReadonlyMap<string, AwsService>;
  stop(): void;
}

/** Creates the tables, queues, buckets, secrets and keys of the stack, and the services in front of them. */
export async function startServices(options: {
  stack: Stack;
  backends: Backends;
  queues: readonly QueueDefinition[];
  buses: Buses;
  access: AccessControl;
  endpoint: string;
  globalIndexLagMs: number;
  /** Logical ID of a resource whose creation is to fail. */
  failsAt: string | undefined;
  clock: { now(): number };
  onError: (error: unknown) => void;
}): Promise<StartedServices> {
  const { stack, backends, buses, access, clock } = options;
  const tables = byName(stack.ofType('AWS::DynamoDB::Table'), tableDefinition);
  const buckets = byName(stack.ofType('AWS::S3::Bucket'), bucketDefinition);
  const lagMs = options.globalIndexLagMs;
  const store = await createSecretStore({
    file: backends.dataDirectory === undefined ? undefined : join(backends.dataDirectory, 'secrets.json'),
    clock,
  });
  await restoreQueuePolicies(backends.queues, options.queues, access);
  const kindOfTables = tableKind(backends.dynamodb, tables, { followers: lagMs > 0 });
  const kinds = {
    'AWS::DynamoDB::Table': kindOfTables,
    'AWS::S3::Bucket': bucketKind(backends.storage),
    'AWS::SQS::Queue': queueKind(backends.queues, options.queues),
    'AWS::SecretsManager::Secret': secretKind(store),
  };
  await createResources(stack.resources, kinds, options.failsAt);
  const indexLag =
    lagMs > 0
      ? createIndexLag({ backend: backends.dynamodb, tables, lagMs, onError: options.onError })
      : undefined;
  const queues = new Map(options.queues.map((queue) => [queue.name, queue]));
  const onObjectCreated = (created: CreatedObject): void =>
    buses.publish('default', objectCreated(created, clock.now()));

  const services = new Map<string, AwsService>([
    ['dynamodb', createDynamoDbService({ backend: backends.dynamodb, access, tables, indexLag })],
    ['sqs', createSqsService({ backend: backends.storage, access, queues, endpoint: options.endpoint })],
    ['s3', createS3Service({ backend: backends.storage, access, buckets, onObjectCreated })],
    ['events', createEventBridgeService({ buses, access, clock })],
    ['secretsmanager', createSecretsManagerService({ store, access })],
    ['kms', createKmsService({ access, keys: keyDefinitions(stack) })],
    ['sts', createStsService()],
  ]);
  return { services, stop: () => indexLag?.stop() };
}

/** Restores the policies of queues that clients made in an earlier run. */
async function restoreQueuePolicies(
  queues: Queues,
  definitions: readonly QueueDefinition[],
  access: AccessControl,
): Promise<void> {
  for (const [name, policy] of await queues.policies()) {
    if (definitions.some((queue) => queue.name === name)) continue;
    access.setResourcePolicies(arn('sqs', name), queuePolicies(name, policy));
  }
}

function queueKind(queues: Queues, definitions: readonly QueueDefinition[]): ResourceKind {
  return {
    async create({ name }) {
      const definition = definitions.find((queue) => queue.name === name);
      return definition !== undefined && queues.create(definition);
    },
    remove: ({ name }) => queues.remove(name),
  };
}

function secretKind(store: SecretStore): ResourceKind {
  return { create: (resource) => store.create(resource), remove: ({ ref }) => store.remove(ref) };
}

/** @throws TemplateError for a property that the local run does not know. */
export function queueDefinitions(stack: Stack): QueueDefinition[] {
  return [...byName(stack.ofType('AWS::SQS::Queue'), queueDefinition).values()];
}

function byName<T extends { name: string }>(
  resources: readonly StackResource[],
  define: (resource: StackResource) => T,
): Map<string, T> {
  return new Map(resources.map(define).map((definition) => [definition.name, definition]));
}

function keyDefinitions(stack: Stack): KeyDefinition[] {
  return stack.ofType('AWS::KMS::Key').map((key) => ({
    id: key.attributes.KeyId ?? '',
    arn: key.attributes.Arn ?? '',
  }));
}

/** The event that S3 sends, with the field names of the real one. */
function objectCreated(created: CreatedObject, now: number): ReturnType<typeof busEvent> {
  return busEvent({
    source: 'aws.s3',
    detailType: 'Object Created',
    time: now,
    resources: [`arn:aws:s3:::${created.bucket}`],
    detail: {
      version: '0',
      bucket: { name: created.bucket },
      object: {
        key: created.key,
        size: created.size,
        etag: created.etag,
        sequencer: process.hrtime.bigint().toString(16).toUpperCase().padStart(18, '0'),
      },
      'request-id': created.requestId,
      requester: '000000000000',
      'source-ip-address': '127.0.0.1',
      reason: created.reason,
    },
  });
}
