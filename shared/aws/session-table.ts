import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type OnboardSession, onboardSessionSchema } from '../stores/onboarding.ts';
import type { OnboardSessionTable } from '../stores/ports.ts';
import { expiresAt } from './items.ts';
import { versionedItems } from './versioned-items.ts';

/** For this many days a used or expired session can be distinguished from an unknown one. */
const KEPT_DAYS = 1;

/** The Sessions table: sessions by `nonce`, with `expiresAt` (TTL). */
export function createSessionTable(client: DynamoDBDocumentClient, tableName: string): OnboardSessionTable {
  const sessions = versionedItems<OnboardSession>({
    client,
    tableName,
    read: (item) => onboardSessionSchema.parse(item),
    write: (session) => ({ ...session, expiresAt: expiresAt(session.validUntil, KEPT_DAYS) }),
  });
  return { update: (nonce, change) => sessions.update({ nonce }, change) };
}
