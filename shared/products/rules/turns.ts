import type { FieldVersion, OpenTurn, ProductTurn, TurnRequest } from '../turn.ts';

/**
 * Milliseconds after its turn has run out from which a command of unknown outcome is waited for no longer: one that is
 * still to be done comes again more often than that. Its fields then count as set: it may have set them, and whoever
 * has it done after all sets them again.
 */
const GIVEN_UP_MS = 3_600_000;

/** The request's fields that no newer command has set: all that it may still send. */
export function newestFields(turn: ProductTurn, request: TurnRequest): string[] {
  return request.fields.filter((field) => !isNewer(turn.fields[field], request));
}

/**
 * The turn as the request takes it until `until`, or extends it. While it has to wait for another one, the turn is left
 * as it is (`undefined`), but for an earlier try of the same command, which is not given up then.
 */
export function taken(
  turn: ProductTurn | undefined,
  request: TurnRequest,
  { now, until }: { readonly now: number; readonly until: number },
): ProductTurn | undefined {
  const others = (turn?.openTurns ?? []).filter(({ turnId }) => turnId !== request.turnId);
  if (others.some((other) => isWaitedFor(other, request, now))) return stillWanted(turn, request, now);
  const { waited = [], givenUp = [] } = Object.groupBy(
    others.filter(({ commandId }) => commandId !== request.commandId),
    (other) => (isGivenUp(other, now) ? 'givenUp' : 'waited'),
  );
  return {
    fields: givenUp.reduce((fields, other) => withVersions(fields, other, other.fields), turn?.fields ?? {}),
    openTurns: [...waited, { ...request, until }],
    updatedAt: new Date(now).toISOString(),
  };
}

function stillWanted(
  turn: ProductTurn | undefined,
  { commandId }: TurnRequest,
  now: number,
): ProductTurn | undefined {
  const isOwn = (one: OpenTurn) => one.commandId === commandId && one.until < now;
  if (!turn?.openTurns.some(isOwn)) return undefined;
  return { ...turn, openTurns: turn.openTurns.map((one) => (isOwn(one) ? { ...one, until: now } : one)) };
}

/**
 * The turn once it is known what came of the request.
 *
 * @param effective fields that the marketplace took.
 * @param until epoch ms: until then an earlier try of the request may still land; 0 where there was none.
 */
export function settled(
  turn: ProductTurn | undefined,
  request: TurnRequest,
  { effective, until }: { readonly effective: readonly string[]; readonly until: number },
): ProductTurn | undefined {
  if (turn === undefined || !isOpen(turn, request)) return undefined;
  const others = turn.openTurns.filter(({ turnId }) => turnId !== request.turnId);
  return {
    ...turn,
    fields: withVersions(turn.fields, request, effective),
    openTurns: until > 0 ? [...others, { ...request, fields: [], until }] : others,
  };
}

/**
 * The turn when the request did nothing this time, but an earlier try of it may have had its effect, or may have it
 * until `until`, epoch ms.
 */
export function passedOn(
  turn: ProductTurn | undefined,
  request: TurnRequest,
  until: number,
): ProductTurn | undefined {
  if (turn === undefined || !isOpen(turn, request)) return undefined;
  const openTurns = turn.openTurns.map((one) => (one.turnId === request.turnId ? { ...one, until } : one));
  return { ...turn, openTurns };
}

/** The fields with the version of those that no newer command has set. */
function withVersions(
  fields: ProductTurn['fields'],
  { time, commandId }: FieldVersion,
  set: readonly string[],
): ProductTurn['fields'] {
  const own = set.filter((field) => !isNewer(fields[field], { time, commandId }));
  return { ...fields, ...Object.fromEntries(own.map((field) => [field, { time, commandId }])) };
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
