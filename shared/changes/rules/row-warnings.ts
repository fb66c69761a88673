import { fieldsOfTarget } from '../../listings/rules/target.ts';
import { type Warning, Warnings } from '../../warnings/model.ts';
import { unseenCharacters } from '../../warnings/unseen-characters.ts';
import type { ChangeEvent, ChangeRow } from './read-changes.ts';

/** A warning about rows of one event. */
export interface EventWarning
  extends Warning,
    Pick<ChangeEvent, 'storeClientId' | 'eventId' | 'detailType'> {}

/** Warnings about taken rows. Rows of files are left out: the reader of the file has already warned about them. */
export function warningsOfRows(rows: readonly ChangeRow[]): EventWarning[] {
  const byEvent = new Map<ChangeEvent, Warnings>();
  for (const { event, rowIndex, change } of rows) {
    if (event.file !== undefined) continue;
    for (const warning of unseenCharacters(fieldsOfTarget(change.target))) {
      const warnings = byEvent.get(event) ?? new Warnings();
      byEvent.set(event, warnings);
      warnings.add(warning, rowIndex);
    }
  }
  return [...byEvent].flatMap(([{ storeClientId, eventId, detailType }, { all }]) =>
    all.map((warning) => ({ storeClientId, eventId, detailType, ...warning })),
  );
}
