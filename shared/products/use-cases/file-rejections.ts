import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import { type CommandFault, identifiersIn } from '../../requests/rules/rejection.ts';
import type { Product } from '../model.ts';

interface FileFacts {
  readonly importId: string;
  readonly storeClientId: string;
  readonly bucket: string;
  readonly key: string;
  /** ISO 8601. */
  readonly time: string;
  readonly eventId: string;
}

/** Where a fault is in the file. */
interface Place {
  /** Line or position, from 1; absent where the file as a whole is at fault. */
  readonly number?: number | undefined;
  readonly product?: Product;
}

/** Rejections gathered before they are reported: as many as one event takes. */
const AT_A_TIME = 100;

/** Reports what is wrong with a file, a limited number of rows at a time, under the same IDs whenever the file is read. */
export class FileRejections {
  /** Rejections so far. */
  count = 0;

  readonly #ports: ReportRejectionsPorts;
  readonly #facts: FileFacts;
  #gathered: Rejection[] = [];

  constructor(ports: ReportRejectionsPorts, facts: FileFacts) {
    this.#ports = ports;
    this.#facts = facts;
  }

  async add(fault: CommandFault, place: Place): Promise<void> {
    this.count += 1;
    this.#gathered.push(this.#rejectionOf(fault, place));
    if (this.#gathered.length >= AT_A_TIME) await this.flush();
  }

  /** Reports what was gathered. */
  async flush(): Promise<void> {
    await reportRejections(this.#ports, this.#gathered);
    this.#gathered = [];
  }

  #rejectionOf(fault: CommandFault, { number, product }: Place): Rejection {
    const { importId, storeClientId, bucket, key, time, eventId } = this.#facts;
    const place = number === undefined ? '' : `#${number}`;
    return boundedRejection({
      storeClientId,
      // The code tells a row's fault from one of the file that was found at the same place.
      rejectionId: `${time}#${importId}${place}#${fault.code}`,
      rejectedAt: time,
      code: fault.code,
      message: fault.message,
      ...(fault.field !== undefined && { field: fault.field }),
      ...(fault.details && { details: { ...fault.details } }),
      ...identifiersIn(product, ['sku', 'externalId']),
      eventId,
      commandId: importId,
      detailType: 'catalog.sync.requested',
      origin: `s3://${bucket}/${key}${place}`,
    });
  }
}
