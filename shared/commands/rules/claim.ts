import { type CommandClaim, stepKey } from '../model.ts';

/** The first claim counts; `undefined` for one that comes second. */
export function claimed(current: CommandClaim | undefined, claim: CommandClaim): CommandClaim | undefined {
  return current === undefined ? claim : undefined;
}

/** Key of a command's claim. As with its steps, two kinds of command may use the same ID. */
export function claimKey({
  storeClientId,
  commandId,
  detailType,
}: {
  readonly storeClientId: string;
  readonly commandId: string;
  readonly detailType: string;
}): string {
  return stepKey(storeClientId, commandId, `claim#${detailType}`);
}
