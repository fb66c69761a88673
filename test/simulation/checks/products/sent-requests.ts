import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';
import type { RequestRecord } from '../../../../shared/requests/model.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Simulation } from '../../engine/simulation.ts';

/** The purpose of a sent request, according to the ledger. */
interface Sending {
  readonly record: RequestRecord;
  readonly at: number;
}

/**
 * Finds the purpose of a request: the record with the latest signature that its sender wrote for the store. Checks that no
 * request is sent whose end was recorded before its sender began.
 */
export class SentRequests {
  readonly #simulation: Simulation;
  /** Records by process and store. */
  readonly #sendings = new Map<string, Sending>();
  /** Sent requests: the sender may be at another request when one lands. */
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
      // A write with a late effect belongs to an earlier request, which was not sent.
      if ((record.signedAt ?? 0) >= latest) this.#sendings.set(key, { record, at });
      this.#times.set(rootOf(recordId), this.timesOf(recordId) + 1);
    }
    if (state !== 'sent' && state !== 'prepared' && !this.#endedAt.has(recordId)) {
      this.#endedAt.set(recordId, at);
    }
  }

  /** How often a request and its halves were begun; after more than once, an outcome may be lost. */
  timesOf(recordId: string): number {
    return this.#times.get(rootOf(recordId)) ?? 0;
  }

  /** A request with an effect is sent. */
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
   * The purpose of a request: the request in which its rows were planned, the retry that they belong to, or the command
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

/** The original request of a half, or of a half of a half. */
export function rootOf(recordId: string): string {
  return recordId.split('.')[0] ?? '';
}
