import type { FieldVersion, OpenTurn, ProductTurn, TurnRequest } from '../turn.ts';

/**
 * Milliseconds after its turn has run out from which a command of unknown outcome is waited for no longer: one that is
 * still to be done comes again more often than that.
 */
const GIVEN_UP_MS = 3_600_000;

/** The request's fields that no newer command has set: all that it may still send. */
export function newestFields(turn: ProductTurn, request: TurnRequest): string[] {
  return request.fields.filter((field) => !isNewer(turn.fields[field], request));
}

/** The turn as the request takes it until `until`, or extends it; `undefined` while it has to wait for another one. */
export function taken(
  turn: ProductTurn | undefined,
  request: TurnRequest,
  { now, until }: { readonly now: number; readonly until: number },
): ProductTurn | undefined {
  const others = (turn?.openTurns ?? []).filter(({ turnId }) => turnId !== request.turnId);
  if (others.some((other) => isWaitedFor(other, request, now))) return undefined;
  const openTurns = others.filter((other) => other.commandId !== request.commandId && !isGivenUp(other, now));
  return {
    fields: turn?.fields ?? {},
    openTurns: [...openTurns, { ...request, until }],
    updatedAt: new Date(now).toISOString(),
  };
}

/** The turn once it is known what came of the request: `effective` are the fields that the marketplace took. */
export function settled(
  turn: ProductTurn | undefined,
  request: TurnRequest,
  effective: readonly string[],
): ProductTurn | undefined {
  if (turn === undefined || !isOpen(turn, request)) return undefined;
  const { time, commandId } = request;
  const set = newestFields(turn, { ...request, fields: [...effective] });
  return {
    ...turn,
    fields: { ...turn.fields, ...Object.fromEntries(set.map((field) => [field, { time, commandId }])) },
    openTurns: turn.openTurns.filter(({ turnId }) => turnId !== request.turnId),
  };
}

/** The turn when nothing of the request is on its way any more, but an earlier try of it may have had its effect. */
export function passedOn(
  turn: ProductTurn | undefined,
  request: TurnRequest,
  now: number,
): ProductTurn | undefined {
  if (turn === undefined || !isOpen(turn, request)) return undefined;
  const openTurns = turn.openTurns.map((one) =>
    one.turnId === request.turnId ? { ...one, until: now } : one,
  );
  return { ...turn, openTurns };
}

function isOpen({ openTurns }: ProductTurn, { turnId }: TurnRequest): boolean {
  return openTurns.some((one) => one.turnId === turnId);
}

/**
 * Whether another one may still be sending, or its request may still land. A newer one of the same fields is waited for
 * longer: until it is known whether it had its effect, nobody knows whether the older value is still wanted.
 */
function isWaitedFor(other: OpenTurn, request: TurnRequest, now: number): boolean {
  if (other.until > now) return true;
  const isAboutSame = other.fields.some((field) => request.fields.includes(field));
  return isNewer(other, request) && isAboutSame && !isGivenUp(other, now);
}

function isGivenUp({ until }: OpenTurn, now: number): boolean {
  return until + GIVEN_UP_MS <= now;
}

function isNewer(version: FieldVersion | undefined, than: FieldVersion): boolean {
  if (version === undefined) return false;
  return version.time === than.time ? version.commandId > than.commandId : version.time > than.time;
}
