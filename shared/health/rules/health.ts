import { definedOf } from '../../collections/defined-of.ts';
import { type Limit, RECENT_MINUTES } from '../../limits/model.ts';
import type { EpochMs } from '../../time/times.ts';
import type { Health } from '../model.ts';

const MINUTE_MS = 60_000;
/** From this share of failed requests on, the marketplace counts as failing although some requests succeed. */
const FAILING_SHARE = 0.5;
/** The marketplace counts as failing if several failures in a row span at least this time. */
const IN_A_ROW_MS = 3_000;
/** Failing is reported from this many failures in the last minutes on. */
const FAILURES_TO_TELL = 3;

/** Sending counts as stopped once changes have waited this long and no request succeeded. The alarm adds up to 2 minutes. */
const STOPPED_MS = 3 * MINUTE_MS;

/** Whether nothing is sent although changes could be. `now` is epoch ms. */
export function hasStoppedSending(
  { lastSuccessAt }: Pick<Health, 'lastSuccessAt'>,
  { oldestChangeAgeMs, now }: { readonly oldestChangeAgeMs: number; readonly now: EpochMs },
): boolean {
  const lastSuccess = lastSuccessAt === undefined ? 0 : Date.parse(lastSuccessAt);
  return oldestChangeAgeMs >= STOPPED_MS && now - lastSuccess >= STOPPED_MS;
}

const NOTHING_SENT = { succeeded: 0, failed: 0 };

type Facts = Omit<Health, 'text' | 'state' | 'since'>;

/** The health of the marketplace by the items of the limit. `now` is epoch ms. */
export function healthOf(limits: readonly Limit[], now: EpochMs): Health {
  const facts = factsOf(limits, now);
  const { state, begin } = stateOf(limits, facts, now);
  const known = { state, ...(begin !== undefined && { since: isoOf(begin) }), ...facts };
  return { ...known, text: textOf(known, limits) };
}

/** Whether the failures are so many, or last so long, that they are reported. `now` is epoch ms. */
export function isToReport({ state, since, recent }: Health, now: EpochMs): boolean {
  if (state !== 'failing' && state !== 'paused') return false;
  return (
    recent.failed >= FAILURES_TO_TELL || (since !== undefined && now - Date.parse(since) >= 2 * MINUTE_MS)
  );
}

function factsOf(limits: readonly Limit[], now: EpochMs): Facts {
  const sums = { requests: 0, failed: 0 };
  for (const { succeeded = 0, failed = 0, minutes = [], ...limit } of limits) {
    const last = latest([limit.succeededAt, limit.failure?.at]) ?? 0;
    if (last <= now - (RECENT_MINUTES + 1) * MINUTE_MS) continue;
    // Without a note from that time the limit is new, and all its requests are recent.
    const before = minutes.findLast(({ at }) => at <= now - RECENT_MINUTES * MINUTE_MS) ?? NOTHING_SENT;
    sums.failed += failed - before.failed;
    sums.requests += failed - before.failed + succeeded - before.succeeded;
  }
  const lastSuccess = latest(limits.map(({ succeededAt }) => succeededAt));
  const failures = limits.flatMap(({ failure }) => failure ?? []).toSorted((a, b) => b.at - a.at);
  const [failure] = failures;
  const pausedUntil = latest(limits.map((limit) => limit.pausedUntil));
  const heldUntil = latest(limits.map((limit) => limit.heldUntil));
  return definedOf({
    lastSuccessAt: lastSuccess && isoOf(lastSuccess),
    lastFailure: failure && { ...failure, at: isoOf(failure.at) },
    recent: { minutes: RECENT_MINUTES, ...sums },
    pausedUntil: pausedUntil && pausedUntil > now ? isoOf(pausedUntil) : undefined,
    heldUntil: heldUntil && heldUntil > now ? isoOf(heldUntil) : undefined,
  }) as Facts;
}

function stateOf(
  limits: readonly Limit[],
  { recent, heldUntil, lastFailure, lastSuccessAt }: Facts,
  now: EpochMs,
): { state: Health['state']; begin?: EpochMs | undefined } {
  const stopped = limits.flatMap(({ stop }) => stop?.since ?? []);
  if (stopped.length > 0) return { state: 'refused', begin: Math.min(...stopped) };
  const failing = limits.flatMap(({ failingSince }) => failingSince ?? []);
  // The failing item has had no success since its failure. Other items may have had one.
  const isLast = failing.length > 0 && (lastFailure?.at ?? '') > (lastSuccessAt ?? '');
  const begin = failing.length > 0 ? Math.min(...failing) : undefined;
  if (heldUntil !== undefined) return { state: 'paused', begin };
  const isFresh = lastFailure !== undefined && Date.parse(lastFailure.at) > now - RECENT_MINUTES * MINUTE_MS;
  const isOften = recent.failed > 1 && recent.failed >= FAILING_SHARE * recent.requests;
  // A single failure, such as a cut connection, says nothing.
  const isLasting = isLast && Date.parse(lastFailure?.at ?? '') - (begin ?? 0) >= IN_A_ROW_MS;
  if (isFresh && (isLasting || isOften))
    return { state: 'failing', begin: begin ?? Date.parse(lastFailure.at) };
  return { state: recent.requests > 0 ? 'healthy' : 'idle' };
}

function textOf(health: Omit<Health, 'text'>, limits: readonly Limit[]): string {
  const { state, since, lastSuccessAt, lastFailure, recent, heldUntil } = health;
  const success =
    lastSuccessAt === undefined ? 'no request has succeeded yet' : `last success ${lastSuccessAt}`;
  const share = `${recent.failed} of ${recent.requests} requests of the last ${recent.minutes} minutes failed`;
  const answer = answerOf(lastFailure);
  const failed = `request failed at ${lastFailure?.at}: the marketplace ${answered(lastFailure)}`;
  const isFailed = hasFailedLast(health);
  switch (state) {
    case 'refused': {
      const { code = '', message } = limits.find((limit) => limit.stop !== undefined)?.stop ?? {};
      const what = code.startsWith('SECRET_')
        ? "The partner's secret can't be used"
        : 'The marketplace refuses the partner';
      return `${what} since ${since}: ${code}: ${message}`;
    }
    case 'paused':
      return `The marketplace asked to wait until ${heldUntil} (it ${answer}): one request a minute asks whether that still holds; ${success}`;
    case 'failing':
      if ((lastSuccessAt ?? '') > (lastFailure?.at ?? ''))
        return `The last request succeeded at ${lastSuccessAt}; before, the marketplace ${answered(lastFailure)} until ${lastFailure?.at}; ${share}`;
      return `The marketplace ${answer} since ${since}; ${share}; ${success}`;
    case 'healthy':
      return `${isFailed ? `The last ${failed}` : 'The marketplace answers'}; ${share}; ${success}`;
    default:
      if (lastSuccessAt === undefined && lastFailure === undefined)
        return 'Nothing was sent to the marketplace yet';
      return [
        `Nothing was sent to the marketplace in the last ${recent.minutes} minutes`,
        ...(isFailed ? [`the last ${failed}`] : []),
        success,
      ].join('; ');
  }
}

/** Whether the last request failed, and no recent one has succeeded. */
function hasFailedLast({ recent, lastFailure, lastSuccessAt }: Omit<Health, 'text'>): boolean {
  return recent.failed === recent.requests && (lastFailure?.at ?? '') > (lastSuccessAt ?? '');
}

type Failure = Partial<NonNullable<Health['lastFailure']>>;

/** What failing requests are answered, in the present tense. */
function answerOf({ status, code }: Failure = {}): string {
  if (status === undefined) return `gives no answer${code === undefined ? '' : ` (${code})`}`;
  return `answers ${status}${code === undefined ? '' : ` ${code}`}`;
}

/** What failed requests were answered, in the past tense. */
function answered(failure: Failure = {}): string {
  return answerOf(failure)
    .replace(/^gives/, 'gave')
    .replace(/^answers/, 'answered');
}

function latest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function isoOf(time: number): string {
  return new Date(time).toISOString();
}
