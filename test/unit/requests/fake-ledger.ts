import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import type { Rejection } from '../../../shared/rejections/model.ts';
import type { Domain, PlannedRow } from '../../../shared/requests/domain.ts';
import type { Command, CommandPlan, RequestRecord } from '../../../shared/requests/model.ts';
import { receiveCommands } from '../../../shared/requests/use-cases/receive-commands.ts';
import { RequestTime } from '../../../shared/requests/use-cases/run-request.ts';
import { sweepRequests } from '../../../shared/requests/use-cases/sweep.ts';
import type { Store } from '../../../shared/stores/model.ts';
import { inMemoryEventPublisher } from '../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../doubles/in-memory-rejection-table.ts';
import { inMemoryRequestArchive } from '../../doubles/in-memory-request-archive.ts';
import { inMemoryRequestTable } from '../../doubles/in-memory-request-table.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { directly, type Step } from '../../doubles/step.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';
import { failure } from '../support/failure.ts';

export const NOW = Date.parse('2026-11-21T08:00:00.000Z');
export const LIFETIME_MS = 30_000;

/** A row of the fake domain: `invalid` breaks a rule, `refused` makes the marketplace refuse the whole request. */
export interface FakeRow {
  readonly orderId: string;
  readonly invalid?: boolean;
  readonly refused?: boolean;
}

export interface FakeCommand extends Command {
  readonly items: readonly FakeRow[];
}

/** How the fake marketplace handles one request: it fails before or after the effect, or accepts (default). */
export interface Reply {
  readonly error?: Error;
  /** Whether it fails before the request leaves, for example in a read. */
  readonly beforeLeaving?: boolean;
  readonly hasEffect?: boolean;
  /** Runs before the reply. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** The ledger over doubles, with one domain that sends rows and records the outcome of each. */
export function fakeLedger() {
  const world = {
    now: NOW,
    /** When the received messages were sent. */
    sentAt: NOW,
    rowsPerRequest: 2,
    /** Whether a request may be sent again although an earlier try may have had an effect. */
    repeatable: false,
    replies: [] as Reply[],
    /** IDs of the orders in each accepted request, with repeats. */
    effects: [] as string[][],
    /** Outcomes by command and row. */
    outcomes: new Map<string, Set<string>>(),
    stores: new Map<string, Store>([['s-1', connectedStore('s-1')]]),
    requests: new VersionedItems<RequestRecord>(),
    plans: new VersionedItems<CommandPlan>(),
    archive: new Map<string, readonly unknown[]>(),
    rejections: new Map<string, Rejection>(),
    events: [] as OutgoingEvent[],
    later: [] as { readonly body: string; readonly delayMs: number }[],
    pauses: [] as number[],
    /** Notes where it is listed that a command waits. Default: nowhere. */
    noteWaiting: undefined as ((command: FakeCommand) => Promise<void>) | undefined,
    /** Why the secret can't be used. */
    secretFault: undefined as Error | undefined,
    /** The codes for which all lanes were stopped. */
    stops: [] as string[],
    ids: 0,
  };

  const domain = (step: Step): Domain<FakeCommand> => ({
    detailTypes: ['order.decision.requested'],
    read: ({ id, time, detail }) => {
      const { storeClientId, commandId = id, items } = detail as unknown as FakeCommand;
      return { storeClientId, commandId, eventId: id, detailType: DETAIL_TYPE, time, items };
    },
    plan: (commands) => {
      const rows = commands.flatMap((command) =>
        command.items.map((item, index) => ({ command, index, item, names: { orderId: item.orderId } })),
      );
      const isValid = ({ item }: PlannedRow<FakeCommand> & { item: FakeRow }) => item.invalid !== true;
      const valid = rows.filter(isValid);
      const requests = Array.from(
        { length: Math.ceil(valid.length / world.rowsPerRequest) },
        (_, number) => ({
          kind: 'order-decision' as const,
          rows: valid.slice(number * world.rowsPerRequest, (number + 1) * world.rowsPerRequest),
        }),
      );
      const rejections = rows
        .filter((row) => !isValid(row))
        .map(({ command, index }) => rejectionOf(command, index, { code: 'VAL_001', message: 'no' }));
      return { requests, rejections };
    },
    warningsOf: ({ items }) =>
      items.some(({ orderId }) => orderId?.endsWith(' ')) ? [{ ...WARNING, rows: 1, numbers: [0] }] : [],
    isRepeatable: world.repeatable,
    noteWaiting: async (command) => world.noteWaiting?.(command),
    send: async ({ items }, recordAttempt) => {
      const reply = world.replies.shift() ?? {};
      if (reply.beforeLeaving) throw reply.error;
      await recordAttempt({ number: 1, signedAt: world.now });
      const rows = items as FakeRow[];
      await reply.meanwhile?.();
      return step('marketplace.send', () => {
        if (reply.error !== undefined && reply.hasEffect !== true) throw reply.error;
        const isRefused = rows.some(({ refused }) => refused);
        if (isRefused && reply.error === undefined) throw failure('VAL_001');
        world.effects.push(rows.map(({ orderId }) => orderId));
        if (reply.error !== undefined) throw reply.error;
        return { taken: rows.length };
      });
    },
    apply: (record) =>
      step(`apply ${record.recordId}`, () => {
        for (const { command, index } of record.rows) {
          const key = `${record.commands[command]?.commandId}/${index}`;
          const outcome = record.fault?.code ?? record.state;
          world.outcomes.set(key, (world.outcomes.get(key) ?? new Set()).add(outcome));
        }
      }),
  });

  const ports = (step: Step) => ({
    requests: inMemoryRequestTable(step, world.requests, world.plans),
    archive: inMemoryRequestArchive(step, world.archive),
    rejections: inMemoryRejectionTable(step, world.rejections),
    events: inMemoryEventPublisher(step, world.events),
    stores: inMemoryStoreTable(step, world.stores),
    secretKey: {
      read: async () => {
        if (world.secretFault) throw world.secretFault;
        return 'key';
      },
    },
    limiter: {
      stop: ({ code }: { code: string }) => step('limiter.stop', () => void world.stops.push(code)),
    },
    commandQueue: {
      sendLater: (body: string, delayMs: number) =>
        step('again.sendLater', () => void world.later.push({ body, delayMs })),
    },
    clock: {
      now: () => world.now,
      sleep: async (ms: number) => {
        world.pauses.push(ms);
        world.now += ms;
      },
    },
    newId: () => `id-${++world.ids}`,
    random: () => 1,
    attemptLifetimeMs: LIFETIME_MS,
  });

  return {
    world,
    /** Receives these messages together. */
    receive: (bodies: readonly string[], step: Step = directly, stopAt?: number) =>
      receiveCommands(
        ports(step),
        domain(step),
        bodies.map((body, index) => ({ body, messageId: `m-${index}`, sentAt: world.sentAt })),
        stopAt === undefined ? undefined : new RequestTime({ now: () => world.now }, stopAt),
      ),
    sweep: async (step: Step = directly) => {
      const failures: unknown[] = [];
      const ended = await sweepRequests(
        { ...ports(step), domainOf: () => domain(step) },
        { signal: new AbortController().signal, onFailure: (error) => void failures.push(error) },
      );
      return { ended, failures };
    },
    outcomeOf: (row: string) => [...(world.outcomes.get(row) ?? [])].join(),
    records: () => world.requests.all().map(({ recordId, state }) => `${recordId} ${state}`),
  };
}

const WARNING = { code: 'ORDER_WHITE_SPACE', message: 'white space' };
const DETAIL_TYPE = 'order.decision.requested';

/** The message of a command. */
export function messageOf(
  commandId: string,
  items: readonly (FakeRow | string)[],
  over: object = {},
): string {
  return JSON.stringify({
    id: `event-${commandId}`,
    time: new Date(NOW).toISOString(),
    'detail-type': DETAIL_TYPE,
    detail: {
      storeClientId: 's-1',
      commandId,
      items: items.map((item) => (typeof item === 'string' ? { orderId: item } : item)),
    },
    ...over,
  });
}

export function connectedStore(storeClientId: string): Store {
  const at = '2026-11-01T00:00:00.000Z';
  const names = { products: 'sku', orders: 'orderId' } as const;
  return { storeClientId, storeToken: 'token-1', state: 'connected', names, connectedAt: at, updatedAt: at };
}

function rejectionOf(
  { storeClientId, commandId, eventId, time }: FakeCommand,
  rowIndex: number,
  fault: { readonly code: string; readonly message: string },
): Rejection {
  return {
    storeClientId,
    rejectionId: `${commandId}#${rowIndex}`,
    rejectedAt: new Date(time).toISOString(),
    ...fault,
    detailType: DETAIL_TYPE,
    eventId,
    commandId,
    rowIndex,
  };
}
