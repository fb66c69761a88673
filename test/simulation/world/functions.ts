import { type TakeChangesPorts, takeChanges } from '../../../shared/changes/use-cases/take-changes.ts';
import type { OperateGuardPorts } from '../../../shared/guards/use-cases/operate-guard.ts';
import type { PushLanePorts } from '../../../shared/lanes/use-cases/lane-context.ts';
import { pushLane } from '../../../shared/lanes/use-cases/push-lane.ts';
import { type WakeLanesPorts, wakeLanes } from '../../../shared/lanes/use-cases/wake-lanes.ts';
import {
  type AnnouncePendingStoresPorts,
  announcePendingStores,
} from '../../../shared/stores/use-cases/announce-store.ts';
import type { OperateStorePorts } from '../../../shared/stores/use-cases/operate-store.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import type { Simulation } from '../engine/simulation.ts';
import { Invoker } from './invoker.ts';
import { type Delivery, MessageQueue, type QueuedMessage } from './message-queue.ts';
import type { Network } from './network.ts';
import type { WorldSettings } from './world.ts';

/** The timeouts of the functions, as in the stack. */
const INTAKE_TIMEOUT_MS = 60_000;
const PRODUCER_TIMEOUTS_MS = [45_000, 60_000, 120_000] as const;
const SCHEDULED_TIMEOUT_MS = 60_000;
const WAKE_INTERVAL_MS = 60_000;
const SWEEP_INTERVAL_MS = 300_000;
const OPERATION_TIMEOUT_MS = 30_000;
/** Time that the producer reserves to record outcomes. */
const SETTLING_MS = 10_000;
/** The longest wait of a request for its permit. */
const WAITING_MS = 2_000;

export type ListingPorts = TakeChangesPorts &
  PushLanePorts &
  WakeLanesPorts &
  AnnouncePendingStoresPorts &
  OperateStorePorts &
  OperateGuardPorts;

/** The world of the functions, with the ports of each process. */
export interface FunctionsWorld {
  readonly simulation: Simulation;
  readonly settings: WorldSettings;
  readonly network: Network;
  portsOf(process: SimulatedProcess, wakeQueue: MessageQueue): ListingPorts;
}

interface FunctionCall {
  readonly name: string;
  readonly timeoutMs: number;
  readonly run: (ports: ListingPorts, process: SimulatedProcess) => Promise<void>;
  readonly onFailed?: () => void;
}

/** The functions for stock and prices; each invocation is a separate process, started by a queue or the schedule. */
export class Functions {
  readonly changes: MessageQueue;
  readonly wake: MessageQueue;
  readonly #world: FunctionsWorld;
  readonly #invoker: Invoker;

  constructor(world: FunctionsWorld) {
    this.#world = world;
    this.#invoker = new Invoker(world.simulation);
    this.changes = new MessageQueue(world.simulation, {
      name: 'changes queue',
      batchSize: 5,
      concurrency: 3,
      visibilityTimeoutMs: 60_000,
      deliver: (messages, done) => this.#takeChanges(messages, done),
    });
    this.wake = new MessageQueue(world.simulation, {
      name: 'wake queue',
      batchSize: 1,
      concurrency: 4,
      visibilityTimeoutMs: 150_000,
      deliver: ([ticket], done) => this.#pushLane(ticket, done),
    });
  }

  get isIdle(): boolean {
    return this.#invoker.isIdle && this.changes.isEmpty;
  }

  /** Wakes the lanes every minute, and publishes unpublished store events every five minutes. */
  startSchedule(): void {
    const onFailure = (error: unknown) =>
      this.#world.simulation.note('schedule', () => `a part of the work failed: ${error}`);
    this.#repeat('waker', WAKE_INTERVAL_MS, (ports) => wakeLanes(ports, { onFailure }));
    this.#repeat('sweeper', SWEEP_INTERVAL_MS, (ports) => announcePendingStores(ports, { onFailure }));
  }

  /** An operator's call of the operations API. */
  operate(run: FunctionCall['run']): void {
    this.#invoke({ name: 'operator', timeoutMs: OPERATION_TIMEOUT_MS, run });
  }

  /** A further scheduled function, which makes ports of its own. */
  schedule(
    { name, everyMs, timeoutMs }: { name: string; everyMs: number; timeoutMs: number },
    run: (process: SimulatedProcess) => Promise<void>,
  ): void {
    this.#world.simulation.scheduler.after(everyMs, () => {
      this.start({ name, timeoutMs }, run);
      this.schedule({ name, everyMs, timeoutMs }, run);
    });
  }

  /** One run of such a function. */
  start(
    { name, timeoutMs }: { name: string; timeoutMs: number },
    run: (process: SimulatedProcess) => Promise<void>,
  ): void {
    this.#invoke({ name, timeoutMs, run: (_, process) => run(process) });
  }

  #repeat(name: string, everyMs: number, run: (ports: ListingPorts) => Promise<unknown>): void {
    this.#world.simulation.scheduler.after(everyMs, () => {
      this.#invoke({
        name,
        timeoutMs: SCHEDULED_TIMEOUT_MS,
        run: async (ports) => {
          await run(ports);
        },
      });
      this.#repeat(name, everyMs, run);
    });
  }

  #takeChanges(messages: readonly QueuedMessage[], done: (failed: readonly string[]) => void): Delivery {
    const all = messages.map(({ messageId }) => messageId);
    return this.#invoke({
      name: 'intake',
      timeoutMs: INTAKE_TIMEOUT_MS,
      run: async (ports) => done((await takeChanges(ports, messages)).failedMessageIds),
      onFailed: () => done(all),
    });
  }

  #pushLane(ticket: QueuedMessage | undefined, done: (failed: readonly string[]) => void): Delivery {
    const { simulation, settings } = this.#world;
    const { storeClientId } = JSON.parse(ticket?.body ?? '{}');
    const timeoutMs = simulation.random.pick(PRODUCER_TIMEOUTS_MS);
    return this.#invoke({
      name: 'producer',
      timeoutMs,
      run: async (ports, process) => {
        const deadline = new AbortController();
        process.later(timeoutMs - SETTLING_MS, () => deadline.abort(new Error('out of time')));
        const stopAt = ports.clock.now() + timeoutMs - settings.requestTimeoutMs - SETTLING_MS - WAITING_MS;
        const report = await pushLane(ports, settings, {
          storeClientId,
          stopAt,
          signal: deadline.signal,
        });
        simulation.note(process.name, () => `ends the push of the lane: ${JSON.stringify(report)}`);
        done([]);
      },
      onFailed: () => done(ticket === undefined ? [] : [ticket.messageId]),
    });
  }

  #invoke({ run, ...invocation }: FunctionCall): Delivery {
    return this.#invoker.invoke({
      ...invocation,
      run: (process) => run(this.#world.portsOf(process, this.wake), process),
      onEnd: (process) => {
        const isLeftOpen = this.#world.network.exchanges.some((one) => one.process === process && one.isOpen);
        if (!isLeftOpen) return;
        this.#world.simulation.violate(`P1: ${process.name} returned with a request under way`);
      },
    });
  }
}
