import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';
import type { RequestRecord } from '../../../../shared/requests/model.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Simulation } from '../../engine/simulation.ts';

/** What a request that leaves is made for, as the ledger has it. */
interface Sending {
  readonly record: RequestRecord;
  readonly at: number;
}

/**
 * What requests are made for: the record with the latest signature that its sender wrote for the store; and that none leaves whose end was
 * there before its sender began.
 */
export class SentRequests {
  readonly #simulation: Simulation;
  /** By process and store. */
  readonly #sendings = new Map<string, Sending>();
  /** What has left: its sender may be at another request when it lands. */
  readonly #sent = new WeakMap<TransportRequest, RequestRecord>();
  readonly #times = new Map<string, number>();
  readonly #endedAt = new Map<string, number>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  onWritten(record: RequestRecord, before: RequestRecord | undefined): void {
    const { recordId, storeClientId, senderId = '', state } = record;
    const at = this.#simulation.scheduler.steps;
    if (state === 'sent' && (before?.senderId !== senderId || before.tries !== record.tries)) {
      const process = senderId.slice(0, senderId.lastIndexOf('-'));
      const key = `${process} ${storeClientId}`;
      const { signedAt: latest = 0 } = this.#sendings.get(key)?.record ?? {};
      // A write whose effect comes late is of an earlier request, which did not leave.
      if ((record.signedAt ?? 0) >= latest) this.#sendings.set(key, { record, at });
      this.#times.set(rootOf(recordId), this.timesOf(recordId) + 1);
    }
    if (state !== 'sent' && state !== 'prepared' && !this.#endedAt.has(recordId)) {
      this.#endedAt.set(recordId, at);
    }
  }

  /** How often a request and its halves were begun: more than once, and an outcome may have been lost. */
  timesOf(recordId: string): number {
    return this.#times.get(rootOf(recordId)) ?? 0;
  }

  /** A request leaves that is to have an effect. */
  onSent(process: SimulatedProcess, request: TransportRequest): void {
    const sending = this.#sendings.get(`${process.name} ${request.headers['x-store-client-id']}`);
    if (sending === undefined) return;
    const { record, at } = sending;
    this.#sent.set(request, record);
    const endedAt = this.#endedAt.get(record.recordId);
    if (endedAt === undefined || endedAt >= at) return;
    this.#simulation.violate(`commands: request ${record.recordId} had ended and is sent again`);
  }

  /**
   * What a request is made for: the request that its rows were planned in, the retry that they are of, or the command
   * that updates a product.
   */
  purposeOf(request: TransportRequest): string {
    const record = this.#sent.get(request);
    const [command] = record?.commands ?? [];
    if (record === undefined || command === undefined) return '';
    if (command.retryOf !== undefined || record.kind === 'product-update') return command.commandId;
    return rootOf(record.recordId);
  }

  /** The command whose row of a deletion names the product. */
  deleterOf(request: TransportRequest, id: string): string {
    const record = this.#sent.get(request);
    const row = record?.rows.find((one) => one.id === id);
    return record?.commands[row?.command ?? -1]?.commandId ?? '';
  }
}

/** The request whose halves, and halves of halves, a request is among. */
export function rootOf(recordId: string): string {
  return recordId.split('.')[0] ?? '';
}
