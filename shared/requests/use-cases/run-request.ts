import type { Change } from '../../collections/versioned-table.ts';
import { type LogKeys, withLogKeys } from '../../correlation/log-keys.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { meaningOf } from '../../marketplace/failures.ts';
import type { Store } from '../../stores/model.ts';
import { newCredentialsOrSuspend, storeNotConnected } from '../../stores/use-cases/for-connected-store.ts';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import { backOffMs, backOffs } from '../../time/waits.ts';
import type { Domain, RecordAttempt, RequestToSend } from '../domain.ts';
import type { Command, CommandPlan, RequestRecord } from '../model.ts';
import type { LedgerPorts } from '../ports.ts';
import { answerIdsOf } from '../rules/answer-ids.ts';
import { attemptEndOf, withAttemptEnd } from '../rules/attempts.ts';
import {
  ABANDONED,
  discardedFault,
  faultOf,
  isCommandDiscarded,
  outOfTime,
  requestBusy,
  requestNotKept,
  storeRenaming,
} from '../rules/deferral.ts';
import * as states from '../rules/states.ts';
import { confirmRows, halfIdsOf, keptRows, recordHalves, rowsOf } from './request-rows.ts';

/** An invocation may begin requests until `stopAt`. It may always begin one, so that every invocation progresses. */
export class RequestTime {
  readonly stopAt: EpochMs;
  readonly #clock: Pick<Clock, 'now'>;
  #hasProgress = false;

  constructor(clock: Pick<Clock, 'now'>, stopAt: EpochMs) {
    this.stopAt = stopAt;
    this.#clock = clock;
  }

  get isOver(): boolean {
    return this.#hasProgress && this.#clock.now() >= this.stopAt;
  }

  /** A request was sent, or ended without being sent. */
  noteProgress(): void {
    this.#hasProgress = true;
  }
}

export interface Run {
  /** The store as read at the start of the invocation. */
  readonly store: Store;
  readonly time: RequestTime;
  /** Plans read or stored by this invocation, by `planKey`. */
  readonly plans: ReadonlyMap<string, CommandPlan>;
}

/**
 * A delivery sends a request at most 6 times. Once 6 sends have failed, later deliveries send it once each, to get on with
 * other commands.
 */
const MAX_SENDS = 6;
/** A request may be sent again only within this time, so that the last send ends before the invocation does. */
export const SEND_WITHIN_MS = 20_000;

/**
 * Sends a request until it ends, and applies its end. Continues the work of an earlier invocation. If the marketplace refuses
 * the whole request because of some row, splits it in halves.
 *
 * @param ended gets the record when the request has ended. For a split request it gets the halves that have ended.
 * @throws {ConnectorError} retryable: a later delivery continues.
 * @throws {MarketplaceError} a later delivery sends it again, or ends it.
 */
export async function runRequest<C extends Command>(
  ports: LedgerPorts,
  domain: Domain<C>,
  recordId: string,
  run: Run,
  ended: RequestRecord[],
): Promise<void> {
  const found = await ports.requests.get(recordId);
  if (found === undefined) throw requestNotKept(recordId);
  await withLogKeys(logKeysOf(found), () => continueRequest(ports, domain, found, run, ended));
}

async function continueRequest<C extends Command>(
  ports: LedgerPorts,
  domain: Domain<C>,
  found: RequestRecord,
  run: Run,
  ended: RequestRecord[],
): Promise<void> {
  const { recordId } = found;
  const record = states.hasEnded(found) ? found : await bringToEnd(ports, domain, found, run);
  if (record === undefined) return;
  // Another invocation is sending it.
  if (!states.hasEnded(record)) throw requestBusy(recordId);
  if (record.halves === undefined) return void ended.push(await applyRequest(ports, domain, record));
  await recordHalves(ports, record);
  for (const half of record.halves) await runRequest(ports, domain, half, run, ended);
  await markApplied(ports, record);
}

/** Records that a command still waits for the request, so that the sweeper does not count it as abandoned. */
export async function touchRequest(
  { requests, clock }: Pick<LedgerPorts, 'requests' | 'clock'>,
  recordId: string,
): Promise<void> {
  const at = new Date(clock.now()).toISOString();
  const touched = await requests.update(recordId, (current) => states.touched(current, at));
  for (const half of touched?.halves ?? []) await touchRequest({ requests, clock }, half);
}

/** Applies an ended request, unless it is applied already. */
export async function applyRequest<C extends Command>(
  ports: Pick<LedgerPorts, 'requests' | 'archive' | 'clock'>,
  domain: Pick<Domain<C>, 'apply'>,
  record: RequestRecord,
): Promise<RequestRecord> {
  if (record.appliedAt !== undefined) return record;
  await domain.apply(record, await rowsOf(ports.archive, record));
  await markApplied(ports, record);
  return record;
}

async function markApplied(
  { requests, clock }: Pick<LedgerPorts, 'requests' | 'clock'>,
  record: RequestRecord,
): Promise<void> {
  const { recordId, appliedAt } = record;
  if (appliedAt !== undefined) return;
  const { batchId, requestId } = answerIdsOf(record);
  // If the answer has a batch ID, the batch is already found by the request's ID.
  if (requestId !== undefined && batchId === undefined)
    await requests.putAliases([{ id: requestId, recordId }]);
  const at = new Date(clock.now()).toISOString();
  await requests.update(recordId, (current) => states.applied(current, at));
}

async function bringToEnd<C extends Command>(
  ports: LedgerPorts,
  domain: Domain<C>,
  record: RequestRecord,
  run: Run,
): Promise<RequestRecord | undefined> {
  const { store, time, plans } = run;
  const { recordId, state, tries } = record;
  const { requests, attemptLifetimeMs, clock } = ports;
  const times = { attemptLifetimeMs, now: clock.now() };
  if (states.isInFlight(record, times)) throw requestBusy(recordId);
  if (state === 'sent' && !domain.isRepeatable)
    return requests.update(recordId, (current) => states.endedUnknown(current, ABANDONED));
  const expired =
    state === 'sent' && (await requests.update(recordId, (current) => states.expired(current, times)));
  const confirmed = tries === 0 ? await confirmRows(ports, record, plans) : expired || record;
  if (confirmed === undefined) return undefined;
  const isDiscardedWhole = confirmed.commands.every((one) => isCommandDiscarded(store, one));
  const fault = isDiscardedWhole ? discardedFault(store) : domain.staleFault?.(confirmed, store);
  if (fault !== undefined && !confirmed.uncertain)
    return requests.update(recordId, (current) => states.refused(current, fault));
  if (store.state !== 'connected') {
    if (!isDiscardedWhole) throw storeNotConnected(store);
    return requests.update(recordId, (current) => states.endedUnknown(current, discardedFault(store)));
  }
  if (time.isOver) throw outOfTime(recordId);
  return sendUntilAnswered(ports, domain, confirmed, run);
}

async function sendUntilAnswered<C extends Command>(
  ports: LedgerPorts,
  domain: Domain<C>,
  record: RequestRecord,
  { store: first, time }: Run,
): Promise<RequestRecord | undefined> {
  const { requests, clock } = ports;
  const { recordId } = record;
  const items = await keptRows(ports.archive, record);
  const senderId = ports.newId();
  const lastSendAt = clock.now() + SEND_WITHIN_MS;
  let store = first;
  let { uncertain } = record;
  const failures: string[] = [];
  for (;;) {
    const request: RequestToSend = { record: { ...record, uncertain }, items, store, senderId, failures };
    let lastTry: RequestRecord | undefined;
    let unrecorded: unknown;
    let answer: unknown;
    try {
      answer = await domain.send(request, async (attempt, note) => {
        lastTry = undefined;
        lastTry = await recordAttempt(ports, domain, request, attempt, note).catch((error) => {
          unrecorded = error;
          throw error;
        });
        time.noteProgress();
      });
    } catch (error) {
      // After the connector's own error, or if the try could not be recorded, the request was not sent. After any other error a
      // lock or a claim may be left; it is removed when the request ends.
      if (error instanceof ConnectorError || error === unrecorded)
        await recordNotSent(ports, domain, request, error);
      if (!(error instanceof MarketplaceError)) throw error;
      // Before the first attempt nothing was sent, so a failure here can't leave the outcome unknown.
      const isUnknown = lastTry !== undefined && error.outcome === 'unknown';
      uncertain ||= isUnknown;
      const end = await endOf(ports, domain, request, { error, isUnknown });
      if (end !== undefined) return end;
      failures.push(error.code);
      if (meaningOf(error) === 'store-refused') store = await newCredentialsOrSuspend(ports, store, error);
      else {
        const pauseMs = backOffMs(backOffs.request, failures.length - 1, ports.random, error.retryAfterMs);
        const mayPass = error.retryable || error.outcome === 'unknown';
        const sends = failures.length + (error.retryable ? record.tries : 0);
        if (!mayPass || sends >= MAX_SENDS || clock.now() + pauseMs > lastSendAt) throw error;
        await clock.sleep(pauseMs);
      }
      continue;
    }
    time.noteProgress();
    return requests.update(recordId, (current) => states.answered(current, answer, lastTry));
  }
}

/** Records an attempt right before it is sent. Returns the record as stored with this attempt. */
async function recordAttempt<C extends Command>(
  ports: LedgerPorts,
  domain: Domain<C>,
  { record: { recordId }, senderId }: RequestToSend,
  ...[{ signedAt }, note]: Parameters<RecordAttempt>
): Promise<RequestRecord> {
  const { requests, clock, attemptLifetimeMs } = ports;
  const repeatable = domain.isRepeatable;
  const sending = { senderId, signedAt, attemptLifetimeMs, now: clock.now(), repeatable, note };
  const stored = await requests.update(recordId, (current) =>
    // This may be a second attempt of the same send. The first attempt had no effect, or was not sent for lack of a permit.
    states.sent(states.notSent(current, senderId) ?? current, sending),
  );
  const isOurs = stored?.state === 'sent' && stored.senderId === senderId && stored.signedAt === signedAt;
  if (!isOurs) throw requestBusy(recordId);
  await checkStore(ports, domain, stored);
  return stored;
}

/**
 * Reads the store once more, right before sending, if the request depends on the store's names. A renaming reads the open
 * requests after it has marked the store. So it finds this request, or this request finds the mark.
 *
 * @throws {NotYetError} STORE_BUSY: the store's names are changing, or have changed.
 */
async function checkStore<C extends Command>(
  { stores, clock }: LedgerPorts,
  { staleFault }: Domain<C>,
  record: RequestRecord,
): Promise<void> {
  const store = staleFault && (await stores.get(record.storeClientId));
  if (store === undefined) return;
  const isRenaming = (store.renamingUntil ?? 0) > clock.now();
  if (isRenaming || staleFault?.(record, store) !== undefined) throw storeRenaming(store);
}

/**
 * Records that a try was not sent. If another invocation has ended the request meanwhile, the end is applied once more: the other
 * invocation did not see the locks and claims of this try.
 */
async function recordNotSent<C extends Command>(
  { requests }: LedgerPorts,
  domain: Domain<C>,
  { record, items, senderId }: RequestToSend,
  error: unknown,
): Promise<void> {
  const stored = await requests.update(record.recordId, (current) => {
    const notSent = states.notSent(current, senderId);
    return error instanceof ConnectorError ? withAttemptEnd(notSent, senderId, attemptEndOf(error)) : notSent;
  });
  if (stored !== undefined && states.hasEnded(stored) && stored.state !== 'split')
    await domain.apply(stored, items);
}

/** Records a failed send. Returns the request if the failure ended it; `undefined` if it may be sent again. */
async function endOf<C extends Command>(
  ports: LedgerPorts,
  domain: Domain<C>,
  { record, senderId }: RequestToSend,
  { error, isUnknown }: { readonly error: MarketplaceError; readonly isUnknown: boolean },
): Promise<RequestRecord | undefined> {
  const { requests } = ports;
  const { recordId } = record;
  const end = async (change: Change<RequestRecord>) => {
    const stored = await requests.update(recordId, (current) =>
      withAttemptEnd(change(current), senderId, attemptEndOf(error)),
    );
    // If the request ends with a fault, the fault has the error's ID, and applying the end makes the request found by it.
    if (stored?.fault === undefined) await noteTry(ports, recordId, error);
    return stored && states.hasEnded(stored) ? stored : undefined;
  };
  if (isUnknown) {
    return domain.isRepeatable
      ? end((current) => states.uncertain(current, senderId))
      : end((current) => states.endedUnknown(current, faultOf(error)));
  }
  if (meaningOf(error) !== 'rows') return end((current) => states.notSent(current, senderId));
  if (record.rows.length === 1) return end((current) => states.refused(current, faultOf(error), senderId));
  return end((current) => states.split(current, halfIdsOf(record), senderId));
}

/** Makes a request found by the marketplace's ID of a failed try. A failure is ignored: sending does not need this ID. */
async function noteTry(
  { requests }: Pick<LedgerPorts, 'requests'>,
  recordId: string,
  { requestId }: MarketplaceError,
): Promise<void> {
  if (requestId === undefined) return;
  await requests.putAliases([{ id: requestId, recordId }]).catch(() => undefined);
}

/** The IDs of a request in the log lines about it. */
export function logKeysOf({ storeClientId, recordId, commands }: RequestRecord): LogKeys {
  const eventIds = [...new Set(commands.map(({ eventId }) => eventId))];
  const commandIds = commands.map(({ commandId }) => commandId);
  return { storeClientId, recordId, eventIds, commandIds };
}
