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

/** What is known of a file, with the import that reads it. */
export interface FileFacts extends AnnouncedFile {
  readonly importId: string;
  readonly storeClientId: string;
}

/** Where a fault is in the file. */
interface Place {
  /** Line or position, from 1; absent where the file as a whole is at fault. */
  readonly number?: number | undefined;
  readonly product?: Product;
}

/** Gathers what is wrong with a file, and reports it under the same IDs whenever the file is read. */
export class FileRejections {
  /** Rejections so far. */
  count = 0;
  /** Rows among them, by code. */
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

  /** Reports what was gathered. */
  async flush(): Promise<void> {
    await reportRejections(this.#ports, this.#gathered);
    this.#gathered = [];
  }

  #rejectionOf({ code, message, field, details }: CommandFault, { number, product }: Place): Rejection {
    const { importId, storeClientId, bucket, key, time, eventId } = this.#facts;
    const place = number === undefined ? '' : `#${number}`;
    return boundedRejection({
      storeClientId,
      // The code tells a row's fault from one of the file that was found at the same place.
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
