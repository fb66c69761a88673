import type { RequestAttempt } from '../attempts/model.ts';
import { type ChangeEventRecord, isCutShort, MOST_KEPT } from '../changes/change-events.ts';
import { type Listing, type Register, type RegisterName, registerEntries } from '../listings/model.ts';
import { movedText } from '../listings/rules/end-by-rename.ts';
import { isPending } from '../listings/rules/waiting.ts';
import type { EpochMs, IsoTime } from '../time/times.ts';
import { stepAt, type TraceStep } from './model.ts';
import type { WaitingReason } from './waiting-reason.ts';

/** The steps of each value of a target. `why`: what its next value waits for. */
export function stepsOfListing(listing: Listing, why: WaitingReason | undefined): TraceStep[] {
  const { storeClientId, target, versionKind, live, createdAt } = listing;
  const ids = { storeClientId, target };
  return [
    ...stepAt(createdAt, 'product.created', ids),
    ...registerEntries(listing.desired).flatMap(([register, { value, version }]) => [
      // An integer version has no time.
      ...stepAt(versionKind === 'time' && version >= 0 ? version : undefined, 'value.desired', {
        ...ids,
        register,
        value,
        version,
      }),
      ...stepsOfRegister(listing, register),
    ]),
    ...registerEntries(live?.values ?? {}).flatMap(([register, value]) =>
      stepAt(live?.at, 'value.live', { ...ids, register, value: value ?? null }),
    ),
    ...stepAt(live?.missing ? live.at : undefined, 'value.live', { ...ids, outcome: 'missing' }),
    ...renamedSteps(listing),
    ...waitingSteps(listing, why),
  ];
}

/** The sent and settled values of a register. Default: of any version. */
function stepsOfRegister(
  { storeClientId, target, sent, settled }: Listing,
  register: RegisterName,
  wanted?: number,
): TraceStep[] {
  const last = sent[register];
  const step = (
    what: TraceStep['what'],
    { at, value, version }: { at: IsoTime; value: number | null; version: number },
    end = {},
  ) => {
    const batchId = last?.version === version ? last.batchId : undefined;
    const isWanted = (wanted ?? version) === version;
    const facts = { storeClientId, target, register, value, version, batchId, ...end };
    return stepAt(isWanted ? at : undefined, what, facts);
  };
  const answered = settled[register];
  return [
    ...(last ? step('value.sent', last) : []),
    ...(answered ? step('value.settled', answered, { outcome: answered.outcome, code: answered.code }) : []),
  ];
}

/** That a value waits, and the last try that failed. */
function waitingSteps(
  { storeClientId, target, waitingSince, tries }: Listing,
  why: WaitingReason | undefined,
): TraceStep[] {
  if (waitingSince === undefined) return [];
  const ids = { storeClientId, target };
  const { at, ...end }: Partial<RequestAttempt> = tries?.lastFailed ?? {};
  return [
    ...stepAt(waitingSince, 'value.waiting', { ...ids, outcome: 'open', ...why }),
    ...stepAt(at, 'request.tried', { ...ids, ...end }),
  ];
}

/** The steps of a stock or price event. `listings`: those of its targets, and what each waits for. */
export function stepsOfChangeEvent(
  event: ChangeEventRecord,
  listings: readonly (readonly [Listing, WaitingReason | undefined])[],
): TraceStep[] {
  const { storeClientId, eventId, detailType, takenAt, rows, version } = event;
  const message = isCutShort(event)
    ? `of its products only the first ${MOST_KEPT} are followed here`
    : undefined;
  const facts = { storeClientId, eventId, detailType, version, rows: { given: rows }, message };
  return [
    ...stepAt(takenAt, 'event.taken', facts),
    ...listings.flatMap(([listing, why]) => stepsOfEventIn(event, listing, why)),
  ];
}

/** The steps of an event in one of its targets. */
function stepsOfEventIn(
  { registers, versionKind, version, takenAt }: ChangeEventRecord,
  listing: Listing,
  why: WaitingReason | undefined,
): TraceStep[] {
  const { desired, renamed } = listing;
  const isMoved = renamed?.versionKind === versionKind && version <= renamed.version;
  // A missing value of a warehouse was replaced by a newer value for all warehouses.
  const names = new Set(registers.map((name) => (desired[name] === undefined ? 'stock' : name)));
  // A value of another version belongs to another event.
  const isWaiting = registers.some((name) => {
    const register = desired[name];
    return register?.version === version && isPending(listing, name, register);
  });
  return [
    ...registers.flatMap((register) => stepsOfRegister(listing, register, version)),
    ...[...names].flatMap((name) => {
      const newer = desired[name];
      return newer && newer.version > version ? supersededSteps(listing, name, newer, takenAt) : [];
    }),
    ...(isMoved ? renamedSteps(listing, Date.parse(takenAt)) : []),
    // A value waits from its merge on, which is recorded a little later.
    ...(isWaiting ? waitingSteps(waitingFrom(listing, Date.parse(takenAt)), why) : []),
  ];
}

/** That the values went to another name: at the rename, or `from` if they came later. */
function renamedSteps({ storeClientId, target, renamed }: Listing, from: EpochMs = 0): TraceStep[] {
  if (renamed === undefined) return [];
  const message = `the product was renamed: ${movedText(renamed)}`;
  const facts = { storeClientId, target, outcome: 'superseded', message };
  return stepAt(Math.max(from, renamed.time), 'value.desired', facts);
}

function waitingFrom(listing: Listing, from: EpochMs): Listing {
  const { waitingSince } = listing;
  return waitingSince === undefined ? listing : { ...listing, waitingSince: Math.max(waitingSince, from) };
}

/** A newer value replaced the event's value: when it came, or at `takenAt` if it had come before the event. */
function supersededSteps(
  { storeClientId, target, versionKind }: Listing,
  register: RegisterName,
  { value, version }: Register,
  takenAt: IsoTime,
): TraceStep[] {
  const at = Math.max(Date.parse(takenAt), versionKind === 'time' ? version : 0);
  const message = "a newer value replaced this event's value";
  const facts = { storeClientId, target, register, value, version, outcome: 'superseded', message };
  return stepAt(at, 'value.desired', facts);
}
