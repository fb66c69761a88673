import { type ListedBatch, listedBatchSchema } from '../../../shared/batches/model.ts';
import type { ApiClient } from '../../clients/api-client.ts';
import { firstEntries } from '../../clients/pages.ts';

/** What the batches of one hour came to, by the time at which they were sent. */
interface Hour {
  /** ISO 8601: its begin. */
  readonly at: string;
  readonly accepted: number;
  readonly rejected: number;
  readonly unknown: number;
  /** From sending a request to its answer, of batches that end by it, as those of stock and prices. Absent without one. */
  readonly answer?: Latency;
  /** From sending a request to the final summary of its batch. Absent if none has ended so. */
  readonly summary?: Latency;
}

/** In milliseconds. */
interface Latency {
  readonly median: number;
  readonly longest: number;
}

export interface Hours {
  /** The oldest first; an hour without a batch is among them. */
  readonly hours: readonly Hour[];
  /** Whether the oldest batches were not read: then the hours begin later than a day ago. */
  readonly isCut: boolean;
}

const HOUR_MS = 3_600_000;
const HOURS_SHOWN = 24;
/** Three pages of the operations API. */
const MOST_BATCHES = 3_000;

/** The last day by hours. `now` is epoch ms. */
export async function readHours(api: ApiClient, now: number): Promise<Hours> {
  const begin = hourOf(now) - (HOURS_SHOWN - 1) * HOUR_MS;
  const query = { since: new Date(begin).toISOString(), limit: MOST_BATCHES };
  const { entries, hasMore } = await firstEntries(api, ['batches'], { batches: listedBatchSchema }, query);
  return hoursOf(entries, { begin, now, isCut: hasMore });
}

/** @param options.isCut whether batches before the oldest of these are missing: its hour would be too low */
export function hoursOf(
  batches: readonly ListedBatch[],
  { begin, now, isCut }: { begin: number; now: number; isCut: boolean },
): Hours {
  const sent = batches.map((batch) => ({ batch, hour: hourOf(Date.parse(batch.submittedAt)) }));
  const oldest = Math.min(...sent.map(({ hour }) => hour));
  const first = isCut && oldest < hourOf(now) ? oldest + HOUR_MS : begin;
  const count = Math.round((hourOf(now) - first) / HOUR_MS) + 1;
  const hours = Array.from({ length: count }, (_, index) => {
    const at = first + index * HOUR_MS;
    return oneHour(
      at,
      sent.filter(({ hour }) => hour === at).map(({ batch }) => batch),
    );
  });
  return { hours, isCut };
}

function oneHour(at: number, batches: readonly ListedBatch[]): Hour {
  const sum = (name: 'accepted' | 'rejected' | 'unknown') =>
    batches.reduce((total, { rows }) => total + rows[name], 0);
  const [answer, summary] = [latencyOf(batches, 'answer'), latencyOf(batches, 'summary')];
  return {
    at: new Date(at).toISOString(),
    accepted: sum('accepted'),
    rejected: sum('rejected'),
    unknown: sum('unknown'),
    ...(answer && { answer }),
    ...(summary && { summary }),
  };
}

/** Of the batches that ended so, by the time at which their request was signed. */
function latencyOf(batches: readonly ListedBatch[], endedBy: 'answer' | 'summary'): Latency | undefined {
  const times = batches
    .flatMap(({ completedAt, submission }) => {
      if (completedAt === undefined || submission?.signedAt === undefined) return [];
      if (submission.endsBy !== endedBy) return [];
      return Math.max(0, Date.parse(completedAt) - submission.signedAt);
    })
    .sort((a, b) => a - b);
  const median = times[Math.floor((times.length - 1) / 2)];
  const longest = times.at(-1);
  return median === undefined || longest === undefined ? undefined : { median, longest };
}

function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS) * HOUR_MS;
}
