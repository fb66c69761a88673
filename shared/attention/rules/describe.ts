import { type BatchKind, creationOf, type ListedBatch } from '../../batches/model.ts';
import type { Drift } from '../../drift/model.ts';
import type { HeldPrices } from '../../guards/rules/price-guard.ts';
import type { ImportRecord } from '../../imports/model.ts';
import type { Stop } from '../../limits/model.ts';
import { type OrderRecord, referenceOf } from '../../orders/model.ts';
import { unknownSince } from '../../orders/rules/order-action.ts';
import type { Store } from '../../stores/model.ts';
import type { EpochMs } from '../../time/times.ts';
import type { Attention } from '../model.ts';
import type { DeadLetters } from '../ports.ts';

/** @param secretArn the secret with the partner's credentials */
export function describeStop({ code, message, since }: Stop, secretArn: string): Attention {
  return {
    kind: 'partner-refused',
    since: new Date(since).toISOString(),
    why: `nothing is sent: ${code}: ${message}; the call replaces the whole secret: keep its webhookSecrets, if it has any`,
    call: `aws secretsmanager put-secret-value --secret-id ${secretArn} --secret-string '{"partnerSecretKey":"…"}'`,
  };
}

export function describeSuspendedStore({ storeClientId, updatedAt, stateReason }: Store): Attention {
  return {
    kind: 'store-suspended',
    storeClientId,
    since: updatedAt,
    why: stateReason ?? 'the marketplace refused its credentials',
    call: post(['stores', storeClientId, 'resume']),
  };
}

export function describeHeldPrices({ storeClientId, hold }: HeldPrices): Attention {
  return {
    kind: 'prices-held',
    storeClientId,
    since: hold.since,
    why: hold.reason,
    call: post(['stores', storeClientId, 'release']),
  };
}

export function describeContested({ storeClientId, target, registers }: Drift): Attention {
  const contested = Object.entries(registers).flatMap(([name, register]) =>
    register?.contestedSince === undefined ? [] : [{ name, ...register, since: register.contestedSince }],
  );
  const names = contested.map(({ name, open }) => `${name} (wanted ${open?.wanted}, live ${open?.live})`);
  return {
    kind: 'listing-contested',
    storeClientId,
    since: contested.map(({ since }) => since).sort()[0] ?? '',
    why: `${target} changes at the marketplace again after each repair: ${names.join(', ')}`,
    call: post(['stores', storeClientId, 'drift', 'repair'], { targets: [target] }),
  };
}

export function describeHeldImport({
  importId,
  storeClientId,
  key,
  startedAt,
  full,
  numbers,
}: ImportRecord): Attention {
  if (numbers?.hold) {
    const { since, reason } = numbers.hold;
    return {
      kind: 'import-held',
      storeClientId,
      since,
      why: `${key}: ${reason}; POST /imports/${importId}/discard leaves them rejected`,
      call: post(['imports', importId, 'release'], { decimal: ',' }),
    };
  }
  return {
    kind: 'import-held',
    storeClientId,
    since: full?.hold?.since ?? startedAt,
    why: `${key}: ${full?.hold?.reason ?? 'held'}; POST /imports/${importId}/discard leaves their stock as it is`,
    call: post(['imports', importId, 'release']),
  };
}

/** One entry per action of the order with an unknown outcome at `now` (epoch ms). */
export function describeUnknownOrder(order: OrderRecord, now: EpochMs): Attention[] {
  const { storeClientId } = order;
  return (['decision', 'dropoff'] as const).flatMap((action) => {
    const since = order[action] && unknownSince(order[action]);
    if (since === undefined || since > now) return [];
    return {
      kind: 'order-unknown',
      storeClientId,
      since: new Date(since).toISOString(),
      why: [`the outcome of the ${action} is unknown`, order[action]?.message].filter(Boolean).join(': '),
      call: post(['stores', storeClientId, 'orders', 'resolve'], {
        ...referenceOf(order),
        action,
        outcome: 'done',
      }),
    };
  });
}

export function describeUnresolvedBatch({
  batchId,
  storeClientId,
  kind,
  rows,
  completedAt,
  submittedAt,
}: ListedBatch): Attention {
  const path = ['batches', batchId];
  return {
    kind: 'batch-unresolved',
    ...(storeClientId !== undefined && { storeClientId }),
    since: completedAt ?? submittedAt,
    why: `the outcome of ${rows.unknown} of ${rows.sent} rows is unknown (${kind}); GET /${path.map(encodeURIComponent).join('/')} names them`,
    call: isReadBack(kind) ? post([...path, 'read-back']) : post([...path, 'resolve'], { rest: 'accepted' }),
  };
}

/** Whether the marketplace's API has a read for the rows of such a batch. */
function isReadBack(kind: BatchKind | undefined): boolean {
  return creationOf(kind) !== undefined || kind === 'product-update' || kind === 'product-deletion';
}

export function describeUnmatchedSummary({ batchId, storeClientId, submittedAt }: ListedBatch): Attention {
  return {
    kind: 'summary-unmatched',
    ...(storeClientId !== undefined && { storeClientId }),
    since: submittedAt,
    why: `a final summary names batch or request ${batchId}, which no batch of this stack has`,
    call: post(['summaries', batchId, 'discard']),
  };
}

/** @param now epoch ms, for `since` if no message shows its time. */
export function describeDeadLetters(
  { arn, queueArn, messages, oldestSentAt }: DeadLetters,
  now: EpochMs,
): Attention {
  const queue = queueArn.split(':').at(-1);
  return {
    kind: 'dead-letters',
    since: oldestSentAt ?? new Date(now).toISOString(),
    why: `about ${messages} ${messages === 1 ? 'message' : 'messages'} of the queue ${queue} could not be processed`,
    call: `aws sqs start-message-move-task --source-arn ${arn} --destination-arn ${queueArn}`,
  };
}

function post(path: readonly string[], body?: object): string {
  const call = `POST /${path.map(encodeURIComponent).join('/')}`;
  return body === undefined ? call : `${call} ${JSON.stringify(body)}`;
}
