import { randomUUID } from 'node:crypto';
import type { S3Client } from '@aws-sdk/client-s3';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Environment } from '../settings/environment.ts';
import { systemClock } from '../time/system-clock.ts';
import { attemptLifetimeOf } from '../time/waits.ts';
import { createRequestArchive } from './archive-bucket.ts';
import { createEventPublisher } from './event-bus.ts';
import { createRejectionTable } from './rejection-table.ts';
import { createLockTable, createRequestTable } from './request-table.ts';
import { createStoreTable } from './store-table.ts';

/** Ports of every function that uses the ledger of requests. */
export function ledgerPorts(
  environment: Environment,
  { tables, s3 }: { readonly tables: DynamoDBDocumentClient; readonly s3: S3Client },
) {
  return {
    stores: createStoreTable(tables, environment.storesTable),
    requests: createRequestTable(tables, environment.requestsTable, environment.recordRetentionDays),
    locks: createLockTable(tables, environment.requestsTable, environment.recordRetentionDays),
    archive: createRequestArchive(environment.archiveBucket, s3),
    rejections: createRejectionTable(tables, environment.rejectionsTable, environment.recordRetentionDays),
    events: createEventPublisher(environment.eventBusName),
    clock: systemClock,
    newId: randomUUID,
    random: Math.random,
    attemptLifetimeMs: attemptLifetimeOf(environment),
  };
}
