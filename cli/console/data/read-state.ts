import { batchStateSchema } from '../../../shared/batches/model.ts';
import { incomingDetailTypes } from '../../../shared/events/incoming.ts';
import { batchKindSchema } from '../../../shared/events/outgoing.ts';
import type { StoreView } from '../../../shared/stores/model.ts';
import { readStatus, type Status, type StatusEntry } from '../../status/read-status.ts';
import { type ConsoleError, errorAnswer } from '../answers.ts';
import type { ConsoleOptions } from '../console-options.ts';
import { createFlowQueues, type FlowQueue } from './flow-queues.ts';
import { type ShownRemedy, shownRemedies } from './remedies.ts';

/** Numbers of one time, for the charts. */
interface Measure {
  /** ISO 8601. */
  readonly at: string;
  /** Messages in all queues. */
  readonly waiting: number;
  readonly deadLetters: number;
}

/** What is read of the stack. */
interface StackState {
  readonly attention: readonly (Omit<StatusEntry, 'command' | 'remedies'> & {
    readonly remedies: readonly ShownRemedy[];
  })[];
  /** How it is known that nothing else waits. Absent before the first read. */
  readonly checked?: Status['checked'];
  readonly more: Status['more'];
  readonly stores: readonly StoreView[];
  readonly rejections?: Status['rejections'];
  /** Whether the marketplace answers. Absent before the first read. */
  readonly marketplace?: Status['marketplace'];
  readonly openBatches: Status['openBatches'];
  readonly failing: Status['failing'];
  readonly queues: readonly FlowQueue[];
}

/** What every screen shows at all times. */
export interface ConsoleState extends StackState {
  readonly target: string;
  readonly canWrite: boolean;
  /** The sandbox marketplace of a local run. */
  readonly sandboxUrl?: string;
  /** Milliseconds between two reads of the stack. */
  readonly refreshMs: number;
  /** ISO 8601. */
  readonly at: string;
  /** The newest last. */
  readonly measures: readonly Measure[];
  /** What the controls offer. */
  readonly choices: typeof CHOICES;
  /** Why the stack could not be read; what is read of it is of the last time that it could. */
  readonly error?: ConsoleError;
}

const CHOICES = {
  batchKinds: batchKindSchema.options,
  batchStates: batchStateSchema.options,
  eventTypes: incomingDetailTypes,
};
/** Ten minutes of a local run, and half an hour of a deployed stack. */
const MEASURES_KEPT = 360;
const LOCAL_REFRESH_MS = 2_000;
/** Each read costs a few API calls and two calls of SQS per queue. */
const STACK_REFRESH_MS = 5_000;

/** Reads the state of a stack. A read that fails keeps what was read before, and says so. */
export function createStateReader(options: ConsoleOptions): {
  readonly refreshMs: number;
  read(): Promise<ConsoleState>;
} {
  const { api, target, canWrite, sandboxUrl } = options;
  const refreshMs = target.isLocal ? LOCAL_REFRESH_MS : STACK_REFRESH_MS;
  const readQueues = createFlowQueues(options);
  const measures: Measure[] = [];
  let last: StackState = {
    attention: [],
    more: [],
    stores: [],
    openBatches: { count: 0, hasMore: false },
    failing: [],
    queues: [],
  };

  async function readAll(): Promise<void> {
    const [status, queues] = await Promise.all([readStatus(api), readQueues()]);
    const { groups: _, ...rest } = status;
    // The table has them in no order.
    const stores = rest.stores.toSorted((one, other) => one.storeClientId.localeCompare(other.storeClientId));
    const attention = status.attention.map((entry) => shownEntry(entry, options));
    last = { ...rest, stores, attention, queues };
    const sum = (count: (queue: FlowQueue) => number) =>
      queues.reduce((total, queue) => total + count(queue), 0);
    measures.push({
      at: new Date().toISOString(),
      waiting: sum(({ waiting, inFlight, delayed }) => waiting + inFlight + delayed),
      deadLetters: sum(({ deadLetters }) => deadLetters),
    });
    measures.splice(0, measures.length - MEASURES_KEPT);
  }

  return {
    refreshMs,
    async read() {
      const error = await readAll().catch((thrown: unknown) => errorAnswer(thrown).body.error);
      return {
        ...last,
        target: target.name,
        canWrite,
        ...(sandboxUrl !== undefined && { sandboxUrl }),
        refreshMs,
        at: new Date().toISOString(),
        measures: [...measures],
        choices: CHOICES,
        ...(error && { error }),
      };
    },
  };
}

function shownEntry({ command: _, ...entry }: StatusEntry, options: ConsoleOptions) {
  return { ...entry, remedies: shownRemedies(entry, options) };
}
