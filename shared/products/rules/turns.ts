import type { FieldVersion, ProductTurn, TurnRequest } from '../turn.ts';

/** Whether another command may still be sending, or its request may still land. */
function isBusy(turn: ProductTurn | undefined, commandId: string, now: number): boolean {
  const holder = turn?.holder;
  return holder !== undefined && holder.commandId !== commandId && holder.until > now;
}

/** The request's fields that no newer command has set: all that it may still send. */
export function newestFields(turn: ProductTurn | undefined, request: TurnRequest): string[] {
  return request.fields.filter((field) => !isNewer(turn?.fields[field], request));
}

/** The turn as the request takes it until `until`, or extends it; `undefined` while another command has it. */
export function taken(
  turn: ProductTurn | undefined,
  request: TurnRequest,
  { now, until }: { readonly now: number; readonly until: number },
): ProductTurn | undefined {
  const { commandId, time } = request;
  if (isBusy(turn, commandId, now)) return undefined;
  const before = turn?.holder?.commandId === commandId ? turn.holder.before : (turn?.fields ?? {});
  const own = newestFields(turn, request).map((field) => [field, { time, commandId }] as const);
  return {
    fields: { ...turn?.fields, ...Object.fromEntries(own) },
    holder: { commandId, until, before },
    updatedAt: new Date(now).toISOString(),
  };
}

/** The turn after its holder; `refused` takes back what it said of the fields, as it had no effect. */
export function released(
  turn: ProductTurn | undefined,
  commandId: string,
  { refused }: { readonly refused: boolean },
): ProductTurn | undefined {
  if (turn?.holder?.commandId !== commandId) return undefined;
  const { holder, ...rest } = turn;
  return refused ? { ...rest, fields: holder.before } : rest;
}

function isNewer(version: FieldVersion | undefined, than: FieldVersion): boolean {
  if (version === undefined) return false;
  return version.time === than.time ? version.commandId > than.commandId : version.time > than.time;
}
