import type { Domain, RecordAttempt } from '../domain.ts';
import type { Command, RequestRecord } from '../model.ts';
import type { LedgerPorts } from '../ports.ts';
import { requestBusy, storeRenaming } from '../rules/deferral.ts';
import * as states from '../rules/states.ts';

/**
 * The function that records an attempt of a request right before it is sent.
 *
 * @param senderId unique per invocation and request.
 */
export function recordAttemptOf<C extends Command>(
  ports: LedgerPorts,
  domain: Domain<C>,
  record: RequestRecord,
  senderId: string,
  time: { noteProgress(): void },
): (...args: Parameters<RecordAttempt>) => Promise<RequestRecord> {
  const { requests, clock, attemptLifetimeMs } = ports;
  const repeatable = domain.isRepeatable(record.kind);
  return async ({ signedAt }, note) => {
    const sending = { senderId, signedAt, attemptLifetimeMs, now: clock.now(), repeatable, note };
    const stored = await requests.update(record.recordId, (current) =>
      // A second attempt of the same send follows one that had no effect, or that was not sent for lack of a permit.
      states.sent(states.notSent(current, senderId) ?? current, sending),
    );
    const isOurs = stored?.state === 'sent' && stored.senderId === senderId && stored.signedAt === signedAt;
    if (!isOurs) throw requestBusy(record.recordId);
    await checkStore(ports, domain, stored);
    time.noteProgress();
    return stored;
  };
}

/**
 * Reads the store once more if a request depends on how it is now. A renaming looks for open requests: it finds this one, or
 * its beginning is seen here.
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
