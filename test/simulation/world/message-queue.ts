import type { Simulation } from '../engine/simulation.ts';

export interface QueuedMessage {
  readonly messageId: string;
  readonly body: string;
  /** Epoch ms. */
  readonly sentAt: number;
}

export interface QueueOptions {
  readonly name: string;
  /** The most messages per delivery. */
  readonly batchSize: number;
  /** The number of concurrent deliveries. */
  readonly concurrency: number;
  readonly visibilityTimeoutMs: number;
  /** Number of receives after which a message goes to the dead-letter queue. Default: never. */
  readonly maxReceives?: number;
  /** Handles a delivery; calls `done` with the IDs to redeliver, or never if it is killed. */
  readonly deliver: (
    messages: readonly QueuedMessage[],
    done: (failed: readonly string[]) => void,
  ) => Delivery;
}

/** A running delivery. */
export interface Delivery {
  /** Called when its consumer was killed. */
  onDeath(callback: () => void): void;
}

const MAX_POLL_DELAY_MS = 50;
const MAX_EXTRA_DELAY_MS = 90_000;

/** A standard queue with its consumers: delivers at least once, in no order, and again after the visibility timeout. */
export class MessageQueue {
  readonly #simulation: Simulation;
  readonly #options: QueueOptions;
  readonly #messages = new Map<string, QueuedMessage>();
  readonly #visible: QueuedMessage[] = [];
  readonly #receives = new Map<string, number>();
  /** The dead-letter queue. */
  readonly dead: QueuedMessage[] = [];
  #running = 0;

  constructor(simulation: Simulation, options: QueueOptions) {
    this.#simulation = simulation;
    this.#options = options;
  }

  /** Whether every message is finished. */
  get isEmpty(): boolean {
    return this.#messages.size === 0 && this.#running === 0;
  }

  send(body: string, delayMs = 0): void {
    const { faults, random, now } = this.#simulation;
    const message = { messageId: this.#simulation.newId('message'), body, sentAt: Math.floor(now) };
    this.#messages.set(message.messageId, message);
    const extra = faults.strikes('message delayed') ? random.integer(0, MAX_EXTRA_DELAY_MS) : 0;
    this.#show(message, delayMs + extra);
  }

  #show(message: QueuedMessage, afterMs: number): void {
    this.#simulation.scheduler.after(afterMs, () => {
      if (!this.#messages.has(message.messageId) || this.#buries(message)) return;
      this.#visible.push(message);
      this.#simulation.scheduler.after(this.#simulation.random.integer(0, MAX_POLL_DELAY_MS), () =>
        this.#poll(),
      );
    });
  }

  /** Moves a message that was received too often to the dead-letter queue. */
  #buries(message: QueuedMessage): boolean {
    const { maxReceives = Number.POSITIVE_INFINITY, name } = this.#options;
    if ((this.#receives.get(message.messageId) ?? 0) < maxReceives) return false;
    this.#simulation.note(name, () => `${message.messageId} goes to the dead-letter queue`);
    this.#messages.delete(message.messageId);
    this.dead.push(message);
    return true;
  }

  #poll(): void {
    const { batchSize, concurrency, deliver, visibilityTimeoutMs, name } = this.#options;
    if (this.#running >= concurrency || this.#visible.length === 0) return;
    const batch = this.#takeBatch(this.#simulation.random.integer(1, batchSize));
    this.#running += 1;
    this.#simulation.note(name, () => `delivers ${batch.map(({ messageId }) => messageId).join(' ')}`);
    // A message that is not deleted by then is redelivered, whether its consumer is dead or late.
    for (const message of batch) this.#show(message, visibilityTimeoutMs);
    const release = once(() => {
      this.#running -= 1;
      this.#poll();
    });
    deliver(batch, (failed) => {
      for (const { messageId } of batch) if (!failed.includes(messageId)) this.#messages.delete(messageId);
      release();
    }).onDeath(release);
  }

  /** Visible messages in random order, without deleted ones. */
  #takeBatch(size: number): QueuedMessage[] {
    const { faults, random } = this.#simulation;
    const batch = new Map<string, QueuedMessage>();
    while (batch.size < size && this.#visible.length > 0) {
      const [message] = this.#visible.splice(random.integer(0, this.#visible.length - 1), 1);
      if (message === undefined || !this.#messages.has(message.messageId)) continue;
      batch.set(message.messageId, message);
      this.#receives.set(message.messageId, (this.#receives.get(message.messageId) ?? 0) + 1);
      if (faults.strikes('message delivered twice')) this.#show(message, random.integer(0, 2_000));
    }
    return [...batch.values()];
  }
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}
