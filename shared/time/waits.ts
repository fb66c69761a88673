/**
 * The waits after an answer of the marketplace, or after a missing answer, in milliseconds. Waits with other causes (a turn that is over,
 * a look for new work) are in the code that waits.
 *
 * | after | who waits | how long |
 * |---|---|---|
 * | a 429 | all requests (`concerns`) | its `Retry-After` or 1 s, then half the rate; after 60 s of a longer one, one request a minute leaves |
 * | | the lane that got it, too | its `Retry-After`, at most 60 s (`laneRefusalMs`) |
 * | a 503 or any other `Retry-After` | its caller | as below |
 * | | all requests, once a second store sees one | as after a 429 |
 * | a refusal for now (§7) | the call, the request of a command | its `Retry-After`, and the back-off (`backOffs`) in addition |
 * | | a row that is refused itself, or alone in a request refused with another status than 429 | the back-off (`backOffs.row`) alone |
 * | | the lane | its `Retry-After` alone, or without one the back-off after 2 failures (`not-now`) or 5 (`refused`); at most 60 s (`laneRefusalMs`) |
 * | | the command, once its requests have given up | a quarter of its age (`deferralMs`) |
 * | an unknown outcome | the row, the lane that sends one at a time, the command | until the request can't land any more |
 * | AUTH_010, AUTH_011 | all lanes; one tries again | the setting `credentialsRetrySeconds` |
 * | AUTH_014 | the store | until a person resumes it, or a new token or onboarding comes |
 * | no permit | its caller, which goes on by a delayed message | `permitWait`, `lanePauseMs` |
 */

/** The waits of a caller without a permit. */
export const permitWait = {
  /** Longest wait of a running function for its place. A lane extends its lease by the same time. */
  longestMs: 2_000,
  /** Wait before the caller asks again. */
  againMs: 1_000,
} as const;

/** Longest pause, without its jitter, of a lane that gets no place because others use the whole limit. */
const LONGEST_LANE_PAUSE_MS = 20_000;

/** The pause of a lane that got no place `count` times in a row. It doubles each time, and half of it is jitter. */
export function lanePauseMs(count: number, random: () => number): number {
  const ms = Math.min(LONGEST_LANE_PAUSE_MS, permitWait.againMs * 2 ** (count - 1));
  return ms * (0.5 + random());
}

/** An answer that asks others to wait. */
export interface Complaint {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/**
 * Who must wait after an answer, besides its own caller. A 429 concerns all requests, as the limit belongs to the partner. A 503 or
 * another `Retry-After` may be about one store; it concerns all once a second store sees it. A failure behind one operation, such as a
 * carrier for labels (§4.18), concerns no one else; the caller does not report it here.
 */
export function concerns({ status, code, retryAfterMs }: Complaint): 'all' | 'store' | 'none' {
  if (status === 429) return 'all';
  return status === 503 || code === 'SYS_DEP_503' || retryAfterMs !== undefined ? 'store' : 'none';
}

/** During a longer `Retry-After`, one request a minute checks whether it still holds. */
export const LONGEST_PAUSE_MS = 60_000;

/** The pause after a complaint. Without a `Retry-After`: `permitWait.againMs`. */
export function pauseMs({ retryAfterMs = permitWait.againMs }: Complaint): number {
  return Math.min(retryAfterMs, LONGEST_PAUSE_MS);
}

/** A second store's complaint within this time shows that all stores are concerned. */
export const SAME_OUTAGE_MS = 60_000;

/** Exponential back-off: its ceiling is `firstMs` after the first failure, and doubles with each further one up to `mostMs`. */
interface BackOff {
  readonly firstMs: number;
  readonly mostMs: number;
}

/** The back-offs after a temporary refusal, or after an unknown outcome that was settled. */
export const backOffs = {
  /** Between two attempts of one call, while its caller waits. */
  call: { firstMs: 200, mostMs: 5_000 },
  /** Between two sends of one request of a command, within one delivery of the command. */
  request: { firstMs: 1_000, mostMs: 8_000 },
  /** Before a row is sent again, and before a lane goes on after the refusal of a whole request. */
  row: { firstMs: 1_000, mostMs: 300_000 },
} as const satisfies Record<string, BackOff>;

/** After a refused request, the lane waits like a row that has failed this many times. No row is at fault, so the refusal may last. */
const FAILURES_OF_LANE = { 'not-now': 2, refused: 5 } as const;

/**
 * A call waits for a `Retry-After` up to this long before its next attempt. After a longer one the caller decides; for writes the caller
 * always decides.
 */
export const LONGEST_RETRY_AFTER_MS = 10_000;

/** A wait that is a share of the age of the waiting thing, within bounds. Old things are looked at less often. */
interface WaitByAge {
  readonly share: number;
  readonly shortestMs: number;
  readonly longestMs: number;
}

export function waitByAgeMs(ageMs: number, { share, shortestMs, longestMs }: WaitByAge): number {
  return Math.min(longestMs, Math.max(shortestMs, ageMs * share));
}

const deferral: WaitByAge = { share: 0.25, shortestMs: 15_000, longestMs: 600_000 };

/**
 * Full jitter: uniform up to the ceiling, added to `retryAfterMs`.
 *
 * @param failures number of failures before this one.
 * @param random uniform in [0, 1).
 * @returns whole milliseconds.
 */
export function backOffMs(
  { firstMs, mostMs }: BackOff,
  failures: number,
  random: () => number,
  retryAfterMs = 0,
): number {
  return Math.ceil(retryAfterMs + random() * Math.min(mostMs, firstMs * 2 ** failures));
}

/** The wait of a lane after the refusal of a whole request. */
export function laneRefusalMs(
  meaning: keyof typeof FAILURES_OF_LANE,
  { retryAfterMs }: Complaint,
  random: () => number,
): number {
  const ms = retryAfterMs ?? backOffMs(backOffs.row, FAILURES_OF_LANE[meaning], random);
  return Math.min(ms, LONGEST_PAUSE_MS);
}

/**
 * The wait before a deferred command is delivered again.
 *
 * @param ageMs time since the command was received.
 */
export function deferralMs(ageMs: number): number {
  return waitByAgeMs(ageMs, deferral);
}

/** The clocks of two functions may differ by this much. Clocks of Lambda differ by far less. */
export const CLOCK_MARGIN_MS = 1_000;

/**
 * The wait after an unknown outcome. A request that has not landed this long after its signature never lands, by any function's clock
 * ("What it rests on" in docs/architecture.md).
 */
export function attemptLifetimeOf({
  attemptLifetimeSeconds,
}: {
  readonly attemptLifetimeSeconds: number;
}): number {
  return attemptLifetimeSeconds * 1000 + CLOCK_MARGIN_MS;
}
