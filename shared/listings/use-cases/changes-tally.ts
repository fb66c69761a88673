import type { Rejection } from '../../rejections/model.ts';
import type { ChangeRow } from '../rules/read-changes.ts';
import type { MergedTarget, TargetRows } from './merge-target.ts';

/** Rows whose messages are done, or come again, together. */
export interface RowGroup {
  readonly rows: readonly Pick<ChangeRow, 'message'>[];
}

/** Rejections of rows, of one store. */
export interface RejectedRows extends RowGroup {
  readonly storeClientId: string;
  readonly rejections: readonly Rejection[];
}

/** What came of a batch of messages. */
export class ChangesTally {
  readonly failed = new Set<string>();
  readonly failures: unknown[] = [];
  /** Stores whose lanes have work. */
  readonly awake = new Set<string>();
  readonly rejected: RejectedRows[] = [];
  accepted = 0;
  stale = 0;

  take(target: TargetRows, merged: MergedTarget): void {
    this.accepted += merged.accepted;
    this.stale += merged.stale;
    this.reject(target, merged.rejections);
    // Also for a repeat: the ticket of the first delivery may have been lost with a crash.
    if (merged.waiting) this.awake.add(target.storeClientId);
  }

  reject({ rows }: RowGroup, rejections: readonly Rejection[]): void {
    const [first] = rejections;
    if (first !== undefined) this.rejected.push({ storeClientId: first.storeClientId, rows, rejections });
  }

  /** Their messages are to come again. */
  putOff(groups: readonly RowGroup[]): void {
    for (const { rows } of groups) for (const { message } of rows) this.failed.add(message.messageId);
  }

  fail(groups: readonly RowGroup[], error: unknown): void {
    this.failures.push(error);
    this.putOff(groups);
  }
}
