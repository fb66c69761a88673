import type { TraceStep } from '../../shared/trace/model.ts';
import type { ApiClient } from '../clients/api-client.ts';
import { readTrace } from '../events/find-traces.ts';
import { fields } from '../render/table.ts';
import { triesText } from '../render/tries.ts';
import { time } from '../render/words.ts';

/** Why the last command about an order waits, and the tries of its request. */
export interface Waiting extends Pick<TraceStep, 'commandId' | 'code' | 'message' | 'until'> {
  readonly tries: readonly TraceStep[];
}

export async function waitingOf(
  api: ApiClient,
  query: Readonly<Record<string, string>>,
): Promise<Waiting | undefined> {
  const { steps = [] } = (await readTrace(api, query)) ?? {};
  const wait = steps.findLast(({ what }) => what === 'command.waiting');
  if (wait === undefined) return undefined;
  const { commandId, code, message, until } = wait;
  const tries = steps.filter((step) => step.what === 'request.tried' && step.commandId === commandId);
  return { commandId, code, message, until, tries };
}

export function waitingText({ commandId, message, code, until, tries }: Waiting): string {
  const lastFailed = tries.at(-1);
  return fields([
    ['command', commandId],
    ['waiting', [message, code].filter(Boolean).join(' · ')],
    ['next try', until && time(until)],
    ['tries', triesText(lastFailed && { count: tries.length, lastFailed })],
  ]);
}
