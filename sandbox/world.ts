import type { Batch, BatchPlan, WebhookDisturbance } from './batches/batch.ts';
import { BatchQueue } from './batches/queue.ts';
import { INITIAL_WEBHOOK_SETTINGS, WebhookSender } from './batches/webhooks.ts';
import { type Clock, isoTime } from './clock.ts';
import { idSequence, type NewId } from './identifiers.ts';
import { fixtureMarketplace } from './state/fixtures.ts';
import type { Marketplace } from './state/marketplace.ts';
import type { Store } from './state/store.ts';

export interface WorldOptions {
  clock: Clock;
  seed: number | undefined;
  applyDelayMs: number;
  webhookRetryDelayMs: number;
  webhookDisturbanceDelayMs: number;
}

/** The marketplace's state with its background work: applying batches and delivering summaries. */
export class World {
  readonly clock: Clock;
  readonly webhooks: WebhookSender;
  readonly #queue: BatchQueue;
  readonly #seed: number | undefined;
  marketplace: Marketplace = fixtureMarketplace();
  newId: NewId;

  constructor(options: WorldOptions) {
    this.clock = options.clock;
    this.#seed = options.seed;
    this.newId = idSequence(options.seed);
    this.webhooks = new WebhookSender(
      options.clock,
      { retryDelayMs: options.webhookRetryDelayMs, disturbanceDelayMs: options.webhookDisturbanceDelayMs },
      (clientId) => this.marketplace.partners.get(clientId)?.secretKey ?? '',
    );
    this.#queue = new BatchQueue(options.applyDelayMs, options.clock, (batch) => {
      if (batch.disturbance !== 'early') this.webhooks.send(batch);
    });
  }

  /** Accepts a batch. Its rows are applied after those of earlier batches, and then its summary is sent. */
  submit(plan: BatchPlan, store: Store, requestId: string, disturbance?: WebhookDisturbance): Batch {
    const batch: Batch = {
      ...plan,
      total: plan.pending.length + plan.errors.length,
      batchId: this.newId(),
      requestId,
      storeClientId: store.clientId,
      partnerClientId: store.partnerClientId,
      acceptedAt: isoTime(this.clock.now()),
      disturbance,
      result: undefined,
      deliveries: [],
    };
    this.marketplace.batches.set(batch.batchId, batch);
    this.#queue.submit(batch);
    return batch;
  }

  /** Applies a batch and sends its summary before the request is answered. */
  async finishEarly(batch: Batch): Promise<void> {
    this.#queue.applyThrough(batch);
    await this.webhooks.sendEarly(batch);
  }

  /** Back to the fixtures; the webhook's URL stays. */
  reset(): void {
    this.stop();
    this.marketplace = fixtureMarketplace();
    this.newId = idSequence(this.#seed);
    this.webhooks.settings = { ...INITIAL_WEBHOOK_SETTINGS, url: this.webhooks.settings.url };
  }

  /** Drops waiting batches and running deliveries. */
  stop(): void {
    this.#queue.clear();
    this.webhooks.clear();
  }

  /** Resolves when all accepted batches are applied and the delivery of their summaries has ended. */
  async idle(): Promise<void> {
    await this.#queue.idle();
    await this.webhooks.idle();
  }
}
