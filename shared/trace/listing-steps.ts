import type { RequestAttempt } from '../attempts/model.ts';
import { type ChangeEventRecord, isCutShort, MOST_KEPT } from '../changes/change-events.ts';
import { type Listing, type Register, type RegisterName, registerEntries } from '../listings/model.ts';
import { movedText } from '../listings/rules/end-by-rename.ts';
import { isPending } from '../listings/rules/waiting.ts';
import type { EpochMs, IsoTime } from '../time/times.ts';
import { stepAt, type TraceStep } from './model.ts';
import type { WaitingReason } from './waiting-reason.ts';

/** The steps of each value of a target. `why`: what the next value waits for. */
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

/** The steps of those sent and settled values of a register for which `isWanted` holds. */
function stepsOfRegister(
  { storeClientId, target, sent, settled }: Listing,
  register: RegisterName,
  isWanted: (one: Register) => boolean = () => true,
): TraceStep[] {
  const last = sent[register];
  const step = (
    what: TraceStep['what'],
    { at, value, version }: { at: IsoTime; value: number | null; version: number },
    end = {},
  ) => {
    const batchId = last?.version === version ? last.batchId : undefined;
    const facts = { storeClientId, target, register, value, version, batchId, ...end };
    return stepAt(isWanted({ value, version }) ? at : undefined, what, facts);
  };
  const answered = settled[register];
  return [
    ...(last ? step('value.sent', last) : []),
    ...(answered ? step('value.settled', answered, { outcome: answered.outcome, code: answered.code }) : []),
  ];
}

/** The steps of a waiting value: that it waits, and its last failed try. */
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

/** The steps of a stock or price event. `listings` are the listings of its targets, each with what its next value waits for. */
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
  { targets, registers, values, versionKind, version, takenAt }: ChangeEventRecord,
  listing: Listing,
  why: WaitingReason | undefined,
): TraceStep[] {
  const { target, desired, renamed } = listing;
  const own = values?.[targets.indexOf(target)];
  const given = own ? registerEntries(own).map(([name]) => name) : registers;
  const isMoved = renamed?.versionKind === versionKind && version <= renamed.version;
  // A missing value of a warehouse was replaced by a newer value for all warehouses.
  const names = new Set(given.map((name) => (desired[name] === undefined ? 'stock' : name)));
  // A value belongs to another event if its version differs, or if it has the same version but is not the given value.
  const isOwn = (name: RegisterName, register: Register) =>
    register.version === version && (own?.[name] === undefined || own[name] === register.value);
  const isWaiting = given.some((name) => {
    const register = desired[name];
    return register !== undefined && isOwn(name, register) && isPending(listing, name, register);
  });
  return [
    ...given.flatMap((name) => stepsOfRegister(listing, name, (register) => isOwn(name, register))),
    ...[...names].flatMap((name) => {
      const taken = desired[name];
      if (taken === undefined || taken.version < version || isOwn(name, taken)) return [];
      return supersededSteps(listing, name, taken, { version, takenAt });
    }),
    ...(isMoved ? renamedSteps(listing, Date.parse(takenAt)) : []),
    // A value waits from its merge on. The event's time is recorded a little later.
    ...(isWaiting ? waitingSteps(waitingFrom(listing, Date.parse(takenAt)), why) : []),
  ];
}

/** The step of values that went to another name: at the time of the renaming, or at `from` if they came later. */
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

/** The step of a value that another event replaced: at the time when the other value came, or at `takenAt` if it came before this event. */
function supersededSteps(
  { storeClientId, target, versionKind }: Listing,
  register: RegisterName,
  { value, version }: Register,
  event: Pick<ChangeEventRecord, 'version' | 'takenAt'>,
): TraceStep[] {
  const at = Math.max(Date.parse(event.takenAt), versionKind === 'time' ? version : 0);
  const message =
    version === event.version
      ? 'another value of the same version is taken in place of this one'
      : "a newer value replaced this event's value";
  const facts = { storeClientId, target, register, value, version, outcome: 'superseded', message };
  return stepAt(at, 'value.desired', facts);
}
