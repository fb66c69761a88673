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

/** The marketplace with what moves in it: batches being applied and summaries being delivered. */
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

  /** Accepts a batch: its rows are applied in its turn, then it is summarized. */
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

  /** Applies a batch and summarizes it before its answer is given. */
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

  /** Drops batches that wait and deliveries under way. */
  stop(): void {
    this.#queue.clear();
    this.webhooks.clear();
  }

  /** Resolves when every accepted batch is applied and summarized. */
  async idle(): Promise<void> {
    await this.#queue.idle();
    await this.webhooks.idle();
  }
}
