import type { TraceStep } from '../../shared/trace/model.ts';
import type { ApiClient } from '../clients/api-client.ts';
import { readTrace } from '../events/find-traces.ts';
import { fields } from '../render/table.ts';
import { triesText } from '../render/tries.ts';
import { time } from '../render/words.ts';

/** Why a command about an order waits, and the tries of its request. */
export interface Waiting extends Pick<TraceStep, 'commandId' | 'detailType' | 'code' | 'message' | 'until'> {
  readonly tries: readonly TraceStep[];
}

/** What waits for an order, the last command last. */
export async function waitingOf(api: ApiClient, query: Readonly<Record<string, string>>): Promise<Waiting[]> {
  const { steps = [] } = (await readTrace(api, query)) ?? {};
  const waits = steps.filter(({ what }) => what === 'command.waiting');
  return waits.map(({ commandId, detailType, code, message, until }) => {
    const tries = steps.filter((step) => step.what === 'request.tried' && step.commandId === commandId);
    return { commandId, detailType, code, message, until, tries };
  });
}

export function waitingText({ commandId, detailType, message, code, until, tries }: Waiting): string {
  const lastFailed = tries.at(-1);
  return fields([
    ['command', [commandId, detailType].filter(Boolean).join(' · ')],
    ['waiting', [message, code].filter(Boolean).join(' · ')],
    ['next try', until && time(until)],
    ['tries', triesText(lastFailed && { count: tries.length, lastFailed })],
  ]);
}
