import * as z from 'zod';
import { callControl } from '../clients/sandbox-client.ts';
import type { RequestStep } from './request-step.ts';

const requestSchema = z.looseObject({
  sequence: z.number(),
  /** ISO 8601: when it arrived. */
  time: z.string(),
  method: z.string(),
  path: z.string(),
  storeClientId: z.string().nullable(),
  items: z.number().nullable(),
  /** `null` without an answer. */
  status: z.number().nullable(),
  errorCode: z.string().nullable(),
});

/** Requests that are watched for their answer. A connection that was cut has none. */
const MOST_OPEN = 1000;

/**
 * Requests and answers at a sandbox marketplace from now on. The time of an answer is that of the call which found it.
 *
 * @returns a function that gives those since its last call
 */
export async function followSandboxRequests(
  url: string,
  now: () => number = Date.now,
): Promise<() => Promise<RequestStep[]>> {
  const read = async (sequence: number) => {
    const answer = await callControl(url, 'GET', `/requests?since=${sequence}`);
    return z.object({ requests: z.array(requestSchema) }).parse(answer).requests;
  };
  let last = (await read(0)).at(-1)?.sequence ?? 0;
  const open = new Set<number>();
  return async () => {
    const requests = await read(Math.min(last, ...[...open].map((sequence) => sequence - 1)));
    const found = new Date(now()).toISOString();
    const steps = requests.flatMap((request): RequestStep[] => {
      const { sequence, status, time } = request;
      const isNew = sequence > last;
      if (isNew) open.add(sequence);
      const hasAnswer = status !== null && open.delete(sequence);
      return [
        ...(isNew ? [{ what: 'request', time, request } as const] : []),
        ...(hasAnswer ? [{ what: 'answer', time: found, request } as const] : []),
      ];
    });
    last = Math.max(last, requests.at(-1)?.sequence ?? 0);
    for (const sequence of open) if (sequence < last - MOST_OPEN) open.delete(sequence);
    return steps;
  };
}
