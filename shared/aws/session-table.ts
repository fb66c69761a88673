import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type OnboardSession, onboardSessionSchema } from '../stores/onboarding.ts';
import type { OnboardSessionTable } from '../stores/ports.ts';
import { expiresAt } from './expiry.ts';
import { updateVersionedItem } from './versioned-item.ts';

/** How long a session is remembered, so that one that was used or has expired can be told from one that never was. */
const KEPT_DAYS = 1;

/** The Sessions table: `OnboardSession` by `nonce`, with `expiresAt` (TTL). */
export function createSessionTable(client: DynamoDBDocumentClient, tableName: string): OnboardSessionTable {
  const update: OnboardSessionTable['update'] = (nonce, change) =>
    updateVersionedItem<OnboardSession>(
      {
        client,
        tableName,
        key: { nonce },
        read: (item) => onboardSessionSchema.parse(item),
        write: (session) => ({ ...session, expiresAt: expiresAt(session.validUntil, KEPT_DAYS) }),
      },
      change,
    );
  return {
    update,
    put: async (session) => {
      await update(session.nonce, () => session);
    },
  };
}
