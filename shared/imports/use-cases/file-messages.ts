import { Packer } from '../../collections/packer.ts';
import { messageIdOf } from '../../correlation/file-message-id.ts';
import { MAX_PRODUCT_BYTES } from '../../products/model.ts';
import type { IsoTime } from '../../time/times.ts';
import type { RowValue } from '../file/row.ts';
import type { FileVersion, ReadingCounts } from '../model.ts';
import type { FileEvent, FileRowQueue } from '../ports.ts';
import type { CheckedRow } from '../rules/check-row.ts';
import { fileKinds } from '../rules/file-kinds.ts';
import type { FileFacts } from './file-rejections.ts';

/** Most rows in one message. Not a setting: `{importId}/{n}` must always have the same rows. */
const ROWS_PER_MESSAGE = 100;

interface NumberedRow {
  readonly row: RowValue;
  /** Position of the row in the file. */
  readonly number: number;
}

interface RowGroup {
  readonly packer: Packer<NumberedRow>;
  readonly version: FileVersion | undefined;
}

/** Queues the rows of one file. All rows of a message have the same group. Which rows a message has depends on the file alone. */
export class FileMessages {
  /** Rows of the file up to now, earlier parts included. */
  sent: number;
  /** Messages of the file up to now, earlier parts included. */
  messages: number;

  readonly #queue: FileRowQueue;
  readonly #facts: FileFacts;
  readonly #groups = new Map<string, RowGroup>();
  #made: FileEvent[] = [];

  /** @param before counts of the earlier parts. */
  constructor(queue: FileRowQueue, facts: FileFacts, before: ReadingCounts) {
    this.#queue = queue;
    this.#facts = facts;
    this.sent = before.sent;
    this.messages = before.commands;
  }

  /** @param bytes the row's size as JSON. */
  add({ row, version, group }: CheckedRow, number: number, bytes: number): void {
    this.sent += 1;
    let known = this.#groups.get(group);
    if (known === undefined) {
      const limits = { maxItems: ROWS_PER_MESSAGE, maxBytes: MAX_PRODUCT_BYTES };
      known = { packer: new Packer(limits), version };
      this.#groups.set(group, known);
    }
    this.#make(known.packer.add({ row, number }, bytes), known.version);
  }

  /** Queues the added rows. */
  async flush(): Promise<void> {
    for (const name of [...this.#groups.keys()].sort()) {
      const group = this.#groups.get(name);
      this.#make(group?.packer.flush(), group?.version);
    }
    this.#groups.clear();
    const made = this.#made;
    this.#made = [];
    if (!this.#facts.isDryRun) await this.#queue.send(made);
  }

  #make(rows: readonly NumberedRow[] | undefined, version: FileVersion | undefined): void {
    if (rows === undefined) return;
    const { importId, storeClientId, time, kind, bucket, key } = this.#facts;
    const id = messageIdOf(importId, this.messages);
    const values = rows.map(({ row }) => row);
    const event = { id, time: Date.parse(time) };
    if (kind === 'catalog') {
      const detail = { storeClientId, commandId: id, products: values };
      this.#made.push({ ...event, detailType: 'catalog.sync.requested', detail });
    } else {
      const lines = rows.map(({ number }) => number);
      const file = { importId, message: this.messages, origin: `s3://${bucket}/${key}`, lines };
      const detail = { storeClientId, ...(version && versionFieldOf(version)), file, items: values };
      this.#made.push({ ...event, detailType: fileKinds[kind].detailType as 'stock.changed', detail });
    }
    this.messages += 1;
  }
}

/** The field of an event that has the version of its items. */
export function versionFieldOf({ kind, value }: FileVersion): { occurredAt: IsoTime } | { version: number } {
  return kind === 'time' ? { occurredAt: new Date(value).toISOString() } : { version: value };
}
