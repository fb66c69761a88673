import type { ListedBatch } from '../../batches/model.ts';
import { isReadBack } from '../../batches/rules/read-back.ts';
import { sumOf } from '../../collections/counts.ts';
import type { Drift } from '../../drift/model.ts';
import type { HeldPrices } from '../../guards/rules/price-guard.ts';
import type { ImportRecord } from '../../imports/model.ts';
import type { Stop } from '../../limits/model.ts';
import { type OrderAction, orderActionSchema } from '../../marketplace/fields.ts';
import { type OrderRecord, referenceOf } from '../../orders/model.ts';
import { unknownSince } from '../../orders/rules/order-action.ts';
import type { Store } from '../../stores/model.ts';
import type { EpochMs, IsoTime } from '../../time/times.ts';
import { type Attention, type Remedy, SEVERITY_OF } from '../model.ts';
import type { DeadLetters } from '../ports.ts';

/** Why the partner's credentials are refused, or can't be used. */
export type PartnerRefusal = Pick<Stop, 'code' | 'message' | 'since'>;

/** @param secretArn the secret with the partner's credentials */
export function describeStop({ code, message, since }: PartnerRefusal, secretArn: string): Attention {
  return entry({
    kind: 'partner-refused',
    since: new Date(since).toISOString(),
    why: `nothing is sent: ${code}: ${message}; the call replaces the whole secret: keep its webhookSecrets, if it has any`,
    remedies: [
      {
        name: 'put-secret',
        text: 'Put the key that the marketplace issued',
        call: `aws secretsmanager put-secret-value --secret-id ${secretArn} --secret-string '{"partnerSecretKey":"…"}'`,
      },
    ],
  });
}

/** `now` becomes `since`: the time of the restore is not stored. */
export function describeRestored(tables: string, now: EpochMs): Attention {
  return entry({
    kind: 'tables-restored',
    since: new Date(now).toISOString(),
    why: `nothing is sent from the restored tables ${tables}`,
    remedies: [
      {
        name: 'end-restore',
        text: 'What came in since their time was replayed, or sent again: send',
        call: post(['restore', 'end']),
      },
    ],
  });
}

/** AUTH_014 can mean an invalid token or a blocked store. Usually the token is invalid, and a new token helps. */
export function describeSuspendedStore({ storeClientId, updatedAt, stateReason }: Store): Attention {
  return entry({
    kind: 'store-suspended',
    storeClientId,
    since: updatedAt,
    why: stateReason ?? 'the marketplace refused its credentials',
    remedies: [
      {
        name: 'rotate-token',
        text: 'Its token was revoked or replaced: give the new one',
        call: `PUT ${pathOf(['stores', storeClientId])} {"storeToken":"…"}`,
      },
      {
        name: 'resume',
        text: 'The marketplace has unblocked it, with the same token: resume',
        call: post(['stores', storeClientId, 'resume']),
      },
    ],
  });
}

/** Stock and prices that wait for an unbound store. */
export interface UnboundWork {
  readonly store: Store;
  /** Number of waiting listings. `hasMore`: there are more than were counted. */
  readonly listings: number;
  readonly hasMore: boolean;
  readonly oldestAt: EpochMs;
}

export function describeUnboundWork({ store, listings, hasMore, oldestAt }: UnboundWork): Attention {
  const { storeClientId, updatedAt } = store;
  const counted = hasMore ? `${listings}+ listings` : listings === 1 ? '1 listing' : `${listings} listings`;
  return entry({
    kind: 'store-unbound',
    storeClientId,
    since: new Date(Math.max(oldestAt, Date.parse(updatedAt))).toISOString(),
    why: `it is unbound: stock or prices of ${counted} wait until it is connected again`,
    remedies: [
      {
        name: 'onboard',
        text: 'It shall sell again: begin an onboarding, and send its seller to the URL',
        call: post(['stores', 'onboarding']),
      },
      {
        name: 'rotate-token',
        text: 'It has a new token: give it',
        call: `PUT ${pathOf(['stores', storeClientId])} {"storeToken":"…"}`,
      },
      {
        name: 'discard',
        text: 'It shall not: drop what waits, and reject its commands',
        call: post(['stores', storeClientId, 'discard'], { what: 'everything' }),
      },
    ],
  });
}

export function describeHeldPrices({ storeClientId, hold }: HeldPrices): Attention {
  const path = ['stores', storeClientId];
  return entry({
    kind: 'prices-held',
    storeClientId,
    since: hold.since,
    why: hold.reason,
    lookAt: 'some of the prices that wait: are they right?',
    remedies: [
      { name: 'release', text: 'They are right: send them', call: post([...path, 'release']) },
      {
        name: 'discard',
        text: 'They are a mistake: drop them',
        call: post([...path, 'discard'], { what: 'prices' }),
      },
    ],
  });
}

export function describeContested({ storeClientId, target, registers }: Drift): Attention {
  const contested = Object.entries(registers).flatMap(([name, register]) =>
    register?.contestedSince === undefined ? [] : [{ name, ...register, since: register.contestedSince }],
  );
  const names = contested.map(({ name, open }) => `${name} (wanted ${open?.wanted}, live ${open?.live})`);
  return entry({
    kind: 'listing-contested',
    storeClientId,
    since: contested.map(({ since }) => since).sort()[0] ?? '',
    why: `${target} changes at the marketplace again after each repair: ${names.join(', ')}`,
    remedies: [
      {
        name: 'repair',
        text: 'Who else set the value has stopped: send the wanted one again',
        call: post(['stores', storeClientId, 'drift', 'repair'], { targets: [target] }),
      },
    ],
  });
}

export function describeHeldImport({
  importId,
  storeClientId,
  key,
  startedAt,
  full,
  numbers,
}: ImportRecord): Attention {
  const path = ['imports', importId];
  const facts = { kind: 'import-held', storeClientId } as const;
  if (numbers?.hold) {
    const { since, reason } = numbers.hold;
    return entry({
      ...facts,
      since,
      why: `${key}: ${reason}; POST /imports/${importId}/discard leaves them rejected`,
      remedies: [
        {
          name: 'release',
          text: 'Say how it writes numbers',
          call: post([...path, 'release'], { decimal: ',' }),
        },
        { name: 'discard', text: 'Leave these rows rejected', call: post([...path, 'discard']) },
      ],
    });
  }
  return entry({
    ...facts,
    since: full?.hold?.since ?? startedAt,
    why: `${key}: ${full?.hold?.reason ?? 'held'}; POST /imports/${importId}/discard leaves their stock as it is`,
    remedies: [
      {
        name: 'release',
        text: 'The file is right: set the stock of what it leaves out to 0',
        call: post([...path, 'release']),
      },
      {
        name: 'discard',
        text: 'The file is a mistake: leave that stock as it is',
        call: post([...path, 'discard']),
      },
    ],
  });
}

export function describeFailedImport({
  importId,
  storeClientId,
  bucket,
  key,
  reading,
  putAt,
}: ImportRecord): Attention {
  const { fault, rejected = {}, endedAt = putAt } = reading ?? {};
  const rows = sumOf(rejected);
  const [commonest = ''] = Object.entries(rejected).toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const all = rows === 1 ? 'its one row was rejected with' : `all ${rows} rows were rejected, most with`;
  const why =
    fault === undefined
      ? `${all} ${commonest}`
      : `it was not read to its end: ${fault.code}: ${fault.message}`;
  return entry({
    kind: 'import-failed',
    storeClientId,
    since: endedAt,
    why: `${key}: ${why}; GET /imports/${importId} has more`,
    lookAt: 'the file and its rejected rows: what is wrong with it?',
    remedies: [
      {
        name: 'put-again',
        text: 'Correct the file, and put it again under the same key',
        call: `aws s3 cp … s3://${bucket}/${key}`,
      },
      {
        name: 'discard',
        text: 'Nothing of it is needed: leave it',
        call: post(['imports', importId, 'discard']),
      },
    ],
  });
}

/** One entry per action of the order with an unknown outcome at `now` (epoch ms). */
export function describeUnknownOrder(order: OrderRecord, now: number): Attention[] {
  return orderActionSchema.options.flatMap((action) => {
    const since = order[action] && unknownSince(order[action]);
    if (since === undefined || since > now) return [];
    return [describeUnknownAction(order, action, { since: new Date(since).toISOString(), now })];
  });
}

function describeUnknownAction(
  order: OrderRecord,
  action: OrderAction,
  { since, now }: { readonly since: IsoTime; readonly now: EpochMs },
): Attention {
  const { storeClientId, orderId, invoiceNumber } = order;
  const { decision, message, lock } = order[action] ?? {};
  const path = ['stores', storeClientId, 'orders'];
  const body = { ...referenceOf(order), action };
  const what = `the outcome of the ${action} is unknown`;
  const said = decision === undefined ? what : `${what} (${decision})`;
  // Before this time, the order may not show the effect yet.
  const mayLand =
    lock !== undefined && lock.until > now
      ? `; its request may still take effect until ${new Date(lock.until).toISOString()}`
      : '';
  return entry({
    kind: 'order-unknown',
    storeClientId,
    since,
    why: `order ${orderId ?? invoiceNumber}: ${[said, message].filter(Boolean).join(': ')}${mayLand}`,
    lookAt: "the order in the marketplace's own pages: was it done?",
    remedies: [
      {
        name: 'resolve-accepted',
        text: `The ${action} was done`,
        call: post([...path, 'resolve'], { ...body, outcome: 'accepted' }),
      },
      {
        name: 'resolve-rejected',
        text: `The ${action} was not done: it may be given again`,
        call: post([...path, 'resolve'], { ...body, outcome: 'rejected' }),
      },
      { name: 'retry', text: `Try the ${action} again`, call: post([...path, 'retry'], body) },
    ],
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
  const resolve = (rest: 'accepted' | 'rejected'): Remedy => ({
    name: `resolve-${rest}`,
    text: `The unknown rows were ${rest}`,
    call: post([...path, 'resolve'], { rest }),
  });
  return entry({
    kind: 'batch-unresolved',
    ...(storeClientId !== undefined && { storeClientId }),
    since: completedAt ?? submittedAt,
    why: `batch ${batchId}: the outcome of ${rows.unknown} of ${rows.sent} rows is unknown (${kind}); GET ${pathOf(path)} names them`,
    ...(isReadBack(kind)
      ? {
          remedies: [
            { name: 'read-back', text: 'Read the unknown rows back', call: post([...path, 'read-back']) },
          ],
        }
      : {
          lookAt: "the rows in the marketplace's own pages: were they accepted?",
          remedies: [resolve('accepted'), resolve('rejected')],
        }),
  });
}

export function describeUnmatchedSummary({ batchId, storeClientId, submittedAt }: ListedBatch): Attention {
  return entry({
    kind: 'summary-unmatched',
    ...(storeClientId !== undefined && { storeClientId }),
    since: submittedAt,
    why: `a final summary names batch or request ${batchId}, which this stack does not know: it is of another system, or of a request whose answer was lost and whose rows are read back, as the summary does not name all its products or another request had the same`,
    remedies: [
      { name: 'discard', text: 'Discard the summary', call: post(['summaries', batchId, 'discard']) },
    ],
  });
}

/** @param now epoch ms, for `since` if no message shows its time. */
export function describeDeadLetters(
  { arn, queueArn, messages, oldestSentAt }: DeadLetters,
  now: EpochMs,
): Attention {
  const queue = queueArn.split(':').at(-1);
  const deadLetterQueue = arn.split(':').at(-1) ?? '';
  return entry({
    kind: 'dead-letters',
    since: oldestSentAt ?? new Date(now).toISOString(),
    why: `about ${messages} ${messages === 1 ? 'message' : 'messages'} of the queue ${queue} could not be processed`,
    lookAt: 'the messages and the errors of the function that reads the queue: is the cause corrected?',
    remedies: [
      {
        name: 'redrive',
        text: 'The cause is corrected: send them again',
        call: `aws sqs start-message-move-task --source-arn ${arn} --destination-arn ${queueArn}`,
      },
      {
        name: 'delete',
        text: 'A message can never be processed: delete it, with a reason that is kept',
        call: post(['dead-letters', deadLetterQueue, 'delete'], { messageIds: ['…'], reason: '…' }),
      },
    ],
  });
}

type Facts = Omit<Attention, 'severity' | 'call' | 'remedies'> & {
  readonly remedies: readonly Remedy[];
};

/** An entry. Its `call` is the first call of a remedy that has nothing to fill in (`…`). */
function entry({ remedies, ...facts }: Facts): Attention {
  const { call = '' } = remedies.find((one) => !one.call.includes('…')) ?? remedies[0] ?? {};
  return { ...facts, severity: SEVERITY_OF[facts.kind], call, remedies: [...remedies] };
}

function pathOf(path: readonly string[]): string {
  return `/${path.map(encodeURIComponent).join('/')}`;
}

function post(path: readonly string[], body?: object): string {
  const call = `POST ${pathOf(path)}`;
  return body === undefined ? call : `${call} ${JSON.stringify(body)}`;
}
