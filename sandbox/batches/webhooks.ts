import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, isoTime } from '../clock.ts';
import { baseString, signatureOf } from '../signing.ts';
import type { Batch } from './batch.ts';
import { finalSummary } from './summary.ts';

const ATTEMPTS = 5;
const ATTEMPT_TIMEOUT_MS = 10_000;

export interface WebhookSettings {
  /** URL for final summaries. While the URL is undefined, no summary is sent. */
  url: string | undefined;
  /** Secret that signs webhooks. Default: the partner's secret key. */
  secret: string | undefined;
  /** Which batches have a final summary: `catalog` only catalog syncs, as specified; `all` all ASYNC batches. */
  for: 'catalog' | 'all';
}

export const INITIAL_WEBHOOK_SETTINGS: WebhookSettings = {
  url: undefined,
  secret: undefined,
  for: 'catalog',
};

interface WebhookTiming {
  /** Wait before the second attempt; doubles with each further one. */
  retryDelayMs: number;
  /** Delay of a delayed summary. Also the longest time that a reordered summary waits for another summary to overtake it. */
  disturbanceDelayMs: number;
}

/** Delivers final summaries, in up to 5 attempts until a 2xx, with the disturbances that faults ask for. */
export class WebhookSender {
  settings: WebhookSettings = INITIAL_WEBHOOK_SETTINGS;
  readonly #clock: Clock;
  readonly #timing: WebhookTiming;
  readonly #secretKeyOf: (partnerClientId: string) => string;
  readonly #running = new Set<Promise<void>>();
  #abort = new AbortController();
  #held: Batch[] = [];

  constructor(clock: Clock, timing: WebhookTiming, secretKeyOf: (partnerClientId: string) => string) {
    this.#clock = clock;
    this.#timing = timing;
    this.#secretKeyOf = secretKeyOf;
  }

  /** Resolves when no delivery is running or waiting. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Aborts all deliveries. */
  clear(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#held = [];
  }

  /** Delivers the summary of an applied batch in the background. */
  send(batch: Batch): void {
    if (!this.#wants(batch)) return;
    const { disturbance } = batch;
    if (disturbance === 'drop') {
      batch.deliveries.push({ time: isoTime(this.#clock.now()), outcome: 'dropped by a fault' });
    } else if (disturbance === 'delay') {
      this.#run((signal) => this.#afterDelay(signal, () => this.#deliver(batch, signal)));
    } else if (disturbance === 'reorder') {
      this.#hold(batch);
    } else {
      this.#run(async (signal) => {
        await this.#deliver(batch, signal);
        if (disturbance === 'duplicate') await this.#deliver(batch, signal);
        this.#releaseHeld();
      });
    }
  }

  /** Resolves after the first attempt. Further attempts follow in the background. */
  async sendEarly(batch: Batch): Promise<void> {
    if (!this.#wants(batch)) return;
    const { signal } = this.#abort;
    try {
      if (await this.#attempt(batch, signal)) return;
      this.#run((running) => this.#deliver(batch, running, 2));
    } catch (error) {
      ignoreAbort(error);
    }
  }

  #wants(batch: Batch): boolean {
    const { url, for: wanted } = this.settings;
    return url !== undefined && (wanted === 'all' || batch.kind === 'catalog.sync');
  }

  #hold(batch: Batch): void {
    this.#held.push(batch);
    this.#run((signal) => this.#afterDelay(signal, async () => this.#releaseHeld()));
  }

  #releaseHeld(): void {
    const held = this.#held;
    this.#held = [];
    for (const batch of held) this.#run((signal) => this.#deliver(batch, signal));
  }

  #run(task: (signal: AbortSignal) => Promise<void>): void {
    const running = task(this.#abort.signal)
      .catch(ignoreAbort)
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #afterDelay(signal: AbortSignal, task: () => Promise<void>): Promise<void> {
    await sleep(this.#timing.disturbanceDelayMs, undefined, { signal });
    await task();
  }

  async #deliver(batch: Batch, signal: AbortSignal, firstAttempt = 1): Promise<void> {
    for (let attempt = firstAttempt; attempt <= ATTEMPTS; attempt += 1) {
      if (attempt > 1) await sleep(this.#timing.retryDelayMs * 2 ** (attempt - 2), undefined, { signal });
      if (await this.#attempt(batch, signal)) return;
    }
  }

  /** Sends the signed summary once. @returns whether the answer was a 2xx */
  async #attempt(batch: Batch, signal: AbortSignal): Promise<boolean> {
    const { url, secret } = this.settings;
    if (url === undefined) return true;
    const time = this.#clock.now();
    const body = Buffer.from(JSON.stringify(finalSummary(batch, time)));
    const headers = this.#signedHeaders(url, body, time, batch.partnerClientId, secret);
    const outcome = await post(url, headers, body, signal);
    batch.deliveries.push({ time: isoTime(time), outcome });
    return typeof outcome === 'number' && outcome >= 200 && outcome < 300;
  }

  #signedHeaders(
    url: string,
    body: Uint8Array,
    time: number,
    partnerClientId: string,
    secret: string | undefined,
  ): Record<string, string> {
    const signed = { 'x-partner-client-id': partnerClientId, 'x-timestamp': String(time) };
    const base = baseString({ method: 'POST', path: new URL(url).pathname, headers: signed, body });
    const signature = signatureOf(secret ?? this.#secretKeyOf(partnerClientId), base);
    return { ...signed, 'x-signature': signature, 'content-type': 'application/json' };
  }
}

/** @returns the answer's status, or the error */
async function post(
  url: string,
  headers: Record<string, string>,
  body: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<number | string> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]);
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: limit });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  }
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}
