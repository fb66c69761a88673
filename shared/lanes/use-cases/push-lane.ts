import { settleRow } from '../../listings/rules/settle-row.ts';
import type { Store } from '../../stores/model.ts';
import { suspendStore } from '../../stores/use-cases/suspend-store.ts';
import { backoffMs } from '../rules/backoff.ts';
import type { LaneSettings, PushLanePorts } from './lane-ports.ts';
import { pickRequest } from './pick-request.ts';
import { LeaseLostError, type SendContext, type SendResult, sendRequest } from './send-request.ts';

export interface LanePush {
  readonly storeClientId: string;
  /** Epoch ms after which no further request is begun; what is in flight then still ends. */
  readonly stopAt: number;
  /** Aborts what is in flight; its rows end as unknown. */
  readonly signal: AbortSignal;
}

export interface LaneReport {
  readonly ended:
    | 'drained'
    | 'out-of-time'
    | 'paused'
    | 'fenced'
    | 'held-elsewhere'
    | 'lost'
    | 'not-connected'
    | 'suspended';
  readonly requests: number;
  readonly rows: number;
  readonly rejected: number;
}

/**
 * Drains one store's lane: takes its lease, sends what waits in the order of design P5 with several requests in flight
 * and no target in two of them, until nothing is due, the time is up, or the marketplace asks to wait. "Not now" ends
 * in a delayed ticket, never in a failed message.
 *
 * @throws MarketplaceError AUTH_010 or AUTH_011: the partner's credentials are refused; nothing is lost
 */
export async function pushLane(
  ports: PushLanePorts,
  settings: LaneSettings,
  push: LanePush,
): Promise<LaneReport> {
  const nothing = { requests: 0, rows: 0, rejected: 0 };
  const store = await ports.stores.get(push.storeClientId);
  if (store?.state !== 'connected') return { ended: 'not-connected', ...nothing };
  const leaseId = ports.newId();
  const now = ports.clock.now();
  const lane = await ports.lanes.acquire(push.storeClientId, {
    leaseId,
    now,
    until: now + settings.attemptLifetimeMs,
  });
  if (lane === undefined) {
    await ports.lanes.nudge(push.storeClientId);
    return { ended: 'held-elsewhere', ...nothing };
  }
  const context = { ports, settings, store, leaseId, signal: push.signal };
  return new LaneRun(context, push.stopAt, lane.nudges).drain();
}

/** One holder's time with a lane. */
class LaneRun {
  readonly #context: SendContext;
  readonly #stopAt: number;
  #nudges: number;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #busy = new Set<string>();
  #warehouses: Promise<readonly string[]> | undefined;
  #failure: { error: unknown } | undefined;
  #stop: Exclude<SendResult['verdict'], 'done' | 'unknown'> | undefined;
  #pauseMs = 0;
  #fencedUntil = 0;
  readonly #sum = { requests: 0, rows: 0, rejected: 0 };

  constructor(context: SendContext, stopAt: number, nudges: number) {
    this.#context = context;
    this.#stopAt = stopAt;
    this.#nudges = nudges;
  }

  async drain(): Promise<LaneReport> {
    for (;;) {
      await this.#sendWhatIsDue();
      if (this.#failure !== undefined) return this.#fail(this.#failure.error);
      if (this.#stop === 'store-refused') return this.#leave('suspended');
      if (this.#stop !== undefined) return this.#leave('paused', this.#pauseMs);
      const now = this.#context.ports.clock.now();
      if (now >= this.#stopAt) return this.#leave('out-of-time', 0);
      // An outcome is unknown: the lease is left to run out, and the lane looked at again when it has (design §5.1).
      if (this.#fencedUntil > now) return this.#report('fenced', this.#fencedUntil - now);
      if (await this.#letGo()) return this.#leaveDrained();
    }
  }

  get #mayBegin(): boolean {
    const { clock } = this.#context.ports;
    return this.#failure === undefined && this.#stop === undefined && clock.now() < this.#stopAt;
  }

  /** Returns when nothing more is due, or may begin, and nothing is in flight. */
  async #sendWhatIsDue(): Promise<void> {
    for (;;) {
      while (this.#mayBegin && this.#inFlight.size < this.#context.settings.requestsInFlight) {
        if (!(await this.#beginNext())) break;
      }
      if (this.#inFlight.size === 0) return;
      await Promise.race(this.#inFlight);
    }
  }

  async #beginNext(): Promise<boolean> {
    const { ports, settings, store } = this.#context;
    const request = await pickRequest(
      {
        listings: ports.listings,
        storeWarehouses: () => this.#storeWarehouses(store),
        settleUnsent: async ({ target }, registers) => {
          await ports.listings.update(
            store.storeClientId,
            target,
            (current) => current && settleRow(current, registers, { outcome: 'accepted' }, ports.clock.now()),
          );
        },
      },
      {
        storeClientId: store.storeClientId,
        now: ports.clock.now(),
        itemsPerRequest: settings.itemsPerRequest,
        busy: this.#busy,
      },
    );
    if (request === undefined) return false;
    const targets = request.rows.map(({ listing }) => listing.target);
    for (const target of targets) this.#busy.add(target);
    const sending = sendRequest(this.#context, request)
      .then((result) => this.#take(result))
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#inFlight.delete(sending);
        for (const target of targets) this.#busy.delete(target);
      });
    this.#inFlight.add(sending);
    this.#sum.requests += 1;
    return true;
  }

  async #take(result: SendResult): Promise<void> {
    if (result.verdict === 'done') {
      this.#sum.rows += result.rows;
      this.#sum.rejected += result.rejected;
    } else if (result.verdict === 'unknown') {
      this.#fencedUntil = Math.max(this.#fencedUntil, result.fencedUntil);
    } else {
      this.#stop ??= result.verdict;
      if (result.verdict === 'store-refused')
        await suspendStore(this.#context.ports, this.#context.store, result.error);
      if (result.verdict === 'partner-refused') throw result.error;
      this.#pauseMs = Math.max(
        this.#pauseMs,
        result.error.retryAfterMs ?? backoffMs(2, this.#context.ports.random),
      );
    }
  }

  #storeWarehouses(store: Store): Promise<readonly string[]> {
    this.#warehouses ??= this.#context.ports.marketplace
      .listWarehouses(store, { signal: this.#context.signal })
      .then(({ data }) => data.map(({ clientId }) => clientId));
    return this.#warehouses;
  }

  /** `false` when a ticket came in the meantime, or is due already: the lane must be looked at once more. */
  async #letGo(): Promise<boolean> {
    const { ports, store, leaseId } = this.#context;
    const released = await ports.lanes.release(store.storeClientId, { leaseId, nudges: this.#nudges });
    if (released !== 'nudged') return true;
    this.#nudges = (await ports.lanes.get(store.storeClientId))?.nudges ?? this.#nudges;
    return false;
  }

  /** What backs off is looked at again when it is due. */
  async #leaveDrained(): Promise<LaneReport> {
    const { ports, store } = this.#context;
    const due = await ports.listings.nextDue(store.storeClientId);
    return this.#report('drained', due === undefined ? undefined : Math.max(0, due - ports.clock.now()));
  }

  /** Lets the lane go whatever waits, unless an outcome is unknown. */
  async #leave(ended: LaneReport['ended'], delayMs?: number): Promise<LaneReport> {
    const { ports, store, leaseId } = this.#context;
    const fence = this.#fencedUntil - ports.clock.now();
    if (fence > 0) return this.#report(ended, Math.max(fence, delayMs ?? 0));
    await this.#releaseAnyway(store.storeClientId, leaseId);
    return this.#report(ended, delayMs);
  }

  async #releaseAnyway(storeClientId: string, leaseId: string): Promise<void> {
    while (!(await this.#letGo())) {
      const lane = await this.#context.ports.lanes.get(storeClientId);
      if (lane?.leaseId !== leaseId) return;
    }
  }

  async #fail(error: unknown): Promise<LaneReport> {
    if (error instanceof LeaseLostError) return this.#report('lost');
    throw error;
  }

  async #report(ended: LaneReport['ended'], againInMs?: number): Promise<LaneReport> {
    const { ports, store } = this.#context;
    if (againInMs !== undefined) {
      await ports.tickets.send([{ storeClientId: store.storeClientId }], { delayMs: againInMs });
    }
    return { ended, ...this.#sum };
  }
}
