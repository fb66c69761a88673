import { definedOf } from '../../collections/defined-of.ts';
import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import { type CommandFault, identifiersIn } from '../../requests/rules/rejection.ts';
import type { Product } from '../model.ts';
import type { AnnouncedFile } from '../ports.ts';

export interface FileFacts extends AnnouncedFile {
  readonly importId: string;
  readonly storeClientId: string;
}

/** Place of a fault in the file. */
interface Place {
  /** Line or position, from 1. Absent for a fault of the whole file. */
  readonly number?: number | undefined;
  readonly product?: Product;
}

/** Collects and reports the rejections of a file. Every reading of the file gives the same IDs. */
export class FileRejections {
  count = 0;
  /** Number of rejected rows, by code. */
  readonly rejectedRows: Record<string, number> = {};

  readonly #ports: ReportRejectionsPorts;
  readonly #facts: FileFacts;
  #gathered: Rejection[] = [];

  constructor(ports: ReportRejectionsPorts, facts: FileFacts) {
    this.#ports = ports;
    this.#facts = facts;
  }

  addRow(fault: CommandFault, row: Place): void {
    this.rejectedRows[fault.code] = (this.rejectedRows[fault.code] ?? 0) + 1;
    this.add(fault, row);
  }

  add(fault: CommandFault, place: Place): void {
    this.count += 1;
    this.#gathered.push(this.#rejectionOf(fault, place));
  }

  async flush(): Promise<void> {
    await reportRejections(this.#ports, this.#gathered);
    this.#gathered = [];
  }

  #rejectionOf({ code, message, field, details }: CommandFault, { number, product }: Place): Rejection {
    const { importId, storeClientId, bucket, key, time, eventId } = this.#facts;
    const place = number === undefined ? '' : `#${number}`;
    return boundedRejection({
      storeClientId,
      // A row and the file may have faults at the same place: the code distinguishes them.
      rejectionId: `${time}#${importId}${place}#${code}`,
      rejectedAt: time,
      code,
      message,
      ...definedOf({ field, details: details && { ...details } }),
      ...identifiersIn(product, ['sku', 'externalId']),
      eventId,
      commandId: importId,
      detailType: 'catalog.sync.requested',
      origin: `s3://${bucket}/${key}${place}`,
    });
  }
}
