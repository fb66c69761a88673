import { type CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import type { EpochMs } from '../../shared/time/times.ts';

/** A line of a function's log. */
export interface LogLine {
  readonly id: string;
  readonly at: EpochMs;
  readonly text: string;
}

/** Lines come late and out of order: how far back a further read looks, in milliseconds. */
const LOOK_BACK_MS = 10_000;

/**
 * Reads a log group from `begin` on. Each call gives the lines that are new, oldest first.
 *
 * @param filter a pattern of CloudWatch Logs; default all lines
 */
export function logReader(
  client: CloudWatchLogsClient,
  { group, begin, filter }: { group: string; begin: EpochMs; filter?: string | undefined },
): () => Promise<LogLine[]> {
  /** Lines that were given, with their times: those that a further read can meet again. */
  let given = new Map<string, number>();
  let newest = begin;
  return async () => {
    const startTime = Math.max(begin, newest - LOOK_BACK_MS);
    const lines: LogLine[] = [];
    const pages = paginateFilterLogEvents(
      { client },
      { logGroupName: group, startTime, ...(filter !== undefined && { filterPattern: filter }) },
    );
    for await (const { events = [] } of pages) {
      for (const { eventId: id = '', timestamp: at = 0, message: text = '' } of events)
        if (!given.has(id)) lines.push({ id, at, text: text.trimEnd() });
    }
    for (const { id, at } of lines) {
      given.set(id, at);
      newest = Math.max(newest, at);
    }
    given = new Map([...given].filter(([, at]) => at >= newest - LOOK_BACK_MS));
    return lines.sort((a, b) => a.at - b.at);
  };
}
