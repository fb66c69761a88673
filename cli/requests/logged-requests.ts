import * as z from 'zod';
import { marketplaceCallers } from '../../infra/function-names.ts';
import { parseJson } from '../../shared/collections/parse-json.ts';
import type { Context } from '../context.ts';
import { logGroupsOf } from '../logs/log-group.ts';
import { type LogLine, logReader } from '../logs/read-logs.ts';
import type { RequestStep } from './request-step.ts';

const PATTERN = '{ ($.message = "request sent") || ($.message = "request ended") }';
/** One read asks for the log of each calling function: AWS allows a few such calls per second. */
const EVERY_MS = 5_000;

const lineSchema = z.looseObject({
  message: z.enum(['request sent', 'request ended']),
  method: z.string(),
  path: z.string(),
  storeClientId: z.string().optional(),
  status: z.number().optional(),
  code: z.string().optional(),
  outcome: z.string().optional(),
});

/**
 * Requests of a deployed stack and how they ended from now on, as its functions log them.
 *
 * @param now epoch ms
 * @returns a function that gives those since its last call; it reads the logs every 5 seconds
 */
export async function followLoggedRequests(
  context: Pick<Context, 'aws' | 'target'>,
  now: () => number = Date.now,
): Promise<() => Promise<RequestStep[]>> {
  const groups = await logGroupsOf(context, marketplaceCallers);
  const begin = now();
  const readers = groups.map((group) => logReader(context.aws.logs, { group, begin, filter: PATTERN }));
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (now() - readAt < EVERY_MS) return [];
    readAt = now();
    const lines = await Promise.all(readers.map((read) => read()));
    return lines
      .flat()
      .sort((one, other) => one.at - other.at)
      .flatMap(stepOf);
  };
}

function stepOf({ at, text }: LogLine): RequestStep[] {
  const line = lineSchema.safeParse(parseJson(text)).data;
  if (line === undefined) return [];
  const { message, storeClientId = null, status = null, code, outcome, ...fields } = line;
  const errorCode = code ?? (outcome === 'accepted' ? null : (outcome ?? null));
  return [
    {
      what: message === 'request sent' ? 'request' : 'answer',
      time: new Date(at).toISOString(),
      request: { ...fields, outcome, storeClientId, items: null, status, errorCode },
    },
  ];
}
