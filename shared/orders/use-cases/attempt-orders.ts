import type { AttemptTable } from '../../attempts/ports.ts';
import { type SendAgainPorts, sendAgain } from '../../commands/use-cases/send-again.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { OrderDecisions } from '../../marketplace/orders.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import { boundedText } from '../../rejections/rules/bounded.ts';
import type { OrderAnswer, OrderCommand, OrderResult, OrderRow } from '../model.ts';
import type { OrderCalls } from '../ports.ts';
import { referenceOf } from '../rules/order-key.ts';
import { isAboutOrders, skippedByRefusal } from '../rules/refusal.ts';

export interface AttemptOrdersPorts extends SendAgainPorts {
  readonly attempts: AttemptTable;
  readonly calls: OrderCalls;
}

/** `refusal`: the request had no effect, for what its rows hold. */
export type AttemptResult = OrderResult | { readonly refusal: MarketplaceError };

/** One bulk request about claimed orders. */
export interface OrderAttempt {
  readonly command: OrderCommand;
  readonly store: StoreCredentials;
  readonly attemptId: string;
  readonly rows: readonly OrderRow[];
}

/**
 * Sends claimed orders as one request, recorded before it leaves. Sent again only after a failure that surely had no
 * effect and may pass; never after an unknown outcome.
 *
 * @throws {MarketplaceError} when the request had no effect and says nothing about its rows: to be sent later.
 */
export async function attemptOrders(
  ports: AttemptOrdersPorts,
  attempt: OrderAttempt,
): Promise<AttemptResult> {
  const { attemptId, command } = attempt;
  const { storeClientId, commandId, action } = command;
  const references = attempt.rows.map(({ item }) => referenceOf(item));
  const rows = references.map((reference, rowIndex) => ({ rowIndex, ...reference }));
  const facts = { attemptId, storeClientId, commandId, kind: KIND_OF[action], rows };
  const options: CallOptions = {
    onAttempt: ({ signedAt }) => ports.attempts.put({ ...facts, signedAt, state: 'sent' }),
  };
  try {
    return await sendAgain(ports, async () => {
      try {
        return { answer: await SEND_OF[action](ports.calls, attempt, options) };
      } catch (error) {
        if (!(error instanceof MarketplaceError)) throw error;
        const { code, message, requestId } = error;
        if (error.outcome === 'unknown')
          return { unknown: { code, message: boundedText(message), requestId } };
        const skipped = skippedByRefusal(error, references);
        if (skipped !== undefined) return { answer: { requestId, message, skipped } };
        await ports.attempts.close(attemptId, 'refused');
        throw error;
      }
    });
  } catch (error) {
    if (error instanceof MarketplaceError && isAboutOrders(error)) return { refusal: error };
    throw error;
  }
}

/** What an attempt is recorded as. */
const KIND_OF = { decision: 'order-decision', dropoff: 'dropoff' } as const;

type Send = (calls: OrderCalls, attempt: OrderAttempt, options: CallOptions) => Promise<OrderAnswer>;

const SEND_OF: Readonly<Record<OrderCommand['action'], Send>> = {
  decision: async (calls, { store, rows }, options) => {
    const items = rows.map(({ item }) => item) as OrderDecisions['items'];
    const { message } = await calls.decideOrders(store, { items }, options);
    return { message, skipped: [] };
  },
  dropoff: async (calls, { store, rows }, options) => {
    const items = rows.map(({ item }) => referenceOf(item));
    const answer = await calls.requestDropoffs(store, { items }, options);
    const { batchId, requestId, message, errors, summary } = answer;
    return { batchId, requestId, message, skipped: errors, summary };
  },
};
