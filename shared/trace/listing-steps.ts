import type { ChangeEventRecord } from '../changes/change-events.ts';
import { definedOf } from '../collections/defined-of.ts';
import { type Listing, type Register, type RegisterName, registerEntries } from '../listings/model.ts';
import { isPending, notBeforeOf } from '../listings/rules/waiting.ts';
import type { ActionRecord, OrderRecord } from '../orders/model.ts';
import type { TraceStep } from './model.ts';

/** The steps of each value of a target. */
export function stepsOfListing(listing: Listing): TraceStep[] {
  const { storeClientId, target, versionKind, live } = listing;
  const ids = { storeClientId, target };
  const steps = registerEntries(listing.desired).flatMap(([register, { value, version }]): TraceStep[] => [
    // An integer version has no time.
    ...(versionKind === 'time' && version >= 0
      ? [
          {
            at: new Date(version).toISOString(),
            what: 'value.desired' as const,
            ...ids,
            register,
            value,
            version,
          },
        ]
      : []),
    ...stepsOfRegister(listing, register),
  ]);
  const seen = live && registerEntries(live.values);
  for (const [register, value] of seen ?? []) {
    steps.push({ at: live?.at ?? '', what: 'value.live', ...ids, register, value: value ?? null });
  }
  if (live?.missing) steps.push({ at: live.at, what: 'value.live', ...ids, outcome: 'missing' });
  return [...steps, ...waitingSteps(listing)];
}

/** The sent and settled values of a register. Default: of any version. */
function stepsOfRegister(
  { storeClientId, target, sent, settled }: Listing,
  register: RegisterName,
  version?: number,
): TraceStep[] {
  const ids = { storeClientId, target, register };
  const [last, answered] = [sent[register], settled[register]];
  const batchIdOf = (of: number) => definedOf({ batchId: last?.version === of ? last.batchId : undefined });
  const isOfVersion = (known: { version: number } | undefined) =>
    known !== undefined && (version ?? known.version) === known.version;
  const steps: TraceStep[] = [];
  if (last && isOfVersion(last)) {
    const { at, value } = last;
    steps.push({ at, what: 'value.sent', ...ids, value, version: last.version, ...batchIdOf(last.version) });
  }
  if (answered && isOfVersion(answered)) {
    const { at, value, outcome, code } = answered;
    const its = { value, version: answered.version, ...batchIdOf(answered.version) };
    steps.push({ at, what: 'value.settled', ...ids, ...its, outcome, ...definedOf({ code }) });
  }
  return steps;
}

function waitingSteps(listing: Listing): TraceStep[] {
  const { storeClientId, target, waitingSince } = listing;
  if (waitingSince === undefined) return [];
  const notBefore = notBeforeOf(listing);
  const message =
    notBefore === undefined ? undefined : `not sent before ${new Date(notBefore).toISOString()}`;
  const at = new Date(waitingSince).toISOString();
  return [{ at, what: 'value.waiting', storeClientId, target, outcome: 'open', ...definedOf({ message }) }];
}

/** The steps of a stock or price event. `listings`: those of its targets. */
export function stepsOfChangeEvent(event: ChangeEventRecord, listings: readonly Listing[]): TraceStep[] {
  const { storeClientId, eventId, detailType, takenAt, rows, version } = event;
  const taken: TraceStep = {
    at: takenAt,
    what: 'event.taken',
    storeClientId,
    eventId,
    detailType,
    version,
    rows: { given: rows },
  };
  return [taken, ...listings.flatMap((listing) => stepsOfEventIn(event, listing))];
}

/** The steps of an event in one of its targets. */
function stepsOfEventIn({ registers, version, takenAt }: ChangeEventRecord, listing: Listing): TraceStep[] {
  const { desired } = listing;
  const steps = registers.flatMap((register) => stepsOfRegister(listing, register, version));
  // A missing value of a warehouse was replaced by a newer value for all warehouses.
  const names = new Set(registers.map((name) => (desired[name] === undefined ? 'stock' : name)));
  for (const name of names) {
    const newer = desired[name];
    if (newer !== undefined && newer.version > version)
      steps.push(supersededStep(listing, name, newer, takenAt));
  }
  // A value of another version belongs to another event.
  const isWaiting = registers.some((name) => {
    const register = desired[name];
    return register?.version === version && isPending(listing, name, register);
  });
  return isWaiting ? [...steps, ...waitingSteps(listing)] : steps;
}

/** A newer value replaced the event's value: when it came, or at `takenAt` if it had come before the event. */
function supersededStep(
  { storeClientId, target, versionKind }: Listing,
  register: RegisterName,
  { value, version }: Register,
  takenAt: string,
): TraceStep {
  const at = versionKind === 'time' ? new Date(version).toISOString() : takenAt;
  return {
    at: at > takenAt ? at : takenAt,
    what: 'value.desired',
    storeClientId,
    target,
    register,
    value,
    version,
    outcome: 'superseded',
    message: "a newer value replaced this event's value",
  };
}

/** The steps of an order. */
export function stepsOfOrder({
  storeClientId,
  orderId,
  invoiceNumber,
  decision,
  dropoff,
  documents,
}: OrderRecord): TraceStep[] {
  const ids = { storeClientId, ...definedOf({ orderId, invoiceNumber }) };
  const actions = { decision, dropoff };
  const kinds = ['shipping-label', 'invoice'] as const;
  return [
    ...(['decision', 'dropoff'] as const).flatMap((action) => {
      const record = actions[action];
      return record ? stepsOfAction({ ...ids, what: `order.${action}` as const }, record) : [];
    }),
    ...kinds.flatMap((kind): TraceStep[] => {
      const record = documents?.[kind];
      if (record === undefined) return [];
      const { at, state, commandId, requestId, code, message, key } = record;
      const known = definedOf({ requestId, code, message: message ?? key });
      return [{ at, what: `document.${kind}`, ...ids, commandId, ...known, outcome: state }];
    }),
  ];
}

function stepsOfAction(ids: Pick<TraceStep, 'storeClientId' | 'what'>, record: ActionRecord): TraceStep[] {
  const { state, startedAt, endedAt, commandId, recordId, batchId, requestId, code, message } = record;
  const its = { ...ids, commandId, recordId };
  const end = { outcome: state, ...definedOf({ batchId, requestId, code, message }) };
  if (endedAt === undefined) return [{ at: startedAt, ...its, ...end }];
  return [
    { at: startedAt, ...its, outcome: 'sending' },
    { at: endedAt, ...its, ...end },
  ];
}
