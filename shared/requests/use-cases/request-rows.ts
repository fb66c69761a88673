import type { RequestArchive } from '../../batches/ports.ts';
import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import { halvesOf } from '../../marketplace/failures.ts';
import { type CommandPlan, planKey, type RequestRecord } from '../model.ts';
import type { LedgerPorts } from '../ports.ts';
import { planOf } from './plan-commands.ts';

/**
 * Keeps only the rows of commands whose plan names the request. The request must never have been sent. If a delivery crashed
 * before it stored a command's plan, the plan is stored now, from the copy in the request.
 *
 * @param plans plans that were read or stored by this invocation, by `planKey`. A plan never changes.
 * @returns `undefined` if no row is left.
 */
export async function confirmRows(
  ports: LedgerPorts,
  record: RequestRecord,
  plans: ReadonlyMap<string, CommandPlan>,
): Promise<RequestRecord | undefined> {
  const { storeClientId, recordId, commands } = record;
  if (commands.length === 1) return record;
  const keys = commands.map((command) => planKey({ ...command, storeClientId }));
  const unread = keys.filter((key) => !plans.has(key));
  const known = unread.length === 0 ? plans : new Map([...plans, ...(await ports.requests.getPlans(unread))]);
  const own = new Set<number>();
  await forEachConcurrently([...commands.entries()], AT_A_TIME, async ([position, command]) => {
    const key = keys[position] ?? '';
    const plan = known.get(key) ?? (await ports.requests.putPlan(key, planOf(command, record.createdAt)));
    if (plan.recordIds.includes(recordId)) own.add(position);
  });
  return own.size === commands.length ? record : narrow(ports, record, own);
}

/** Keeps only the rows of the commands in `own`. Plans never change, so every invocation has the same result. */
async function narrow(
  { requests, archive }: LedgerPorts,
  record: RequestRecord,
  own: ReadonlySet<number>,
): Promise<RequestRecord | undefined> {
  const kept = [...own].toSorted((a, b) => a - b);
  const isKept = ({ command }: RequestRecord['rows'][number]) => own.has(command);
  const rows = record.rows.filter(isKept).map((row) => ({ ...row, command: kept.indexOf(row.command) }));
  if (rows.length === 0) return undefined;
  const requestKey = record.requestKey && `${record.requestKey}.own`;
  if (requestKey !== undefined) {
    const items = await keptRows(archive, record);
    const isOwn = record.rows.map(isKept);
    await archive.put(
      requestKey,
      items.filter((_, position) => isOwn[position]),
    );
  }
  const commands = record.commands.filter((_, position) => own.has(position));
  return requests.update(record.recordId, (current) =>
    current?.tries === 0 && current.commands.length === record.commands.length
      ? { ...current, commands, rows, ...(requestKey !== undefined && { requestKey }) }
      : undefined,
  );
}

/** The rows of a request as they are sent; `undefined` after the archive's retention. */
export async function rowsOf(
  archive: Pick<RequestArchive, 'get'>,
  { requestKey, rows }: Pick<RequestRecord, 'requestKey' | 'rows'>,
): Promise<unknown[] | undefined> {
  if (requestKey !== undefined) return archive.get(requestKey);
  return rows.map(({ command: _, index: __, fields, ...names }) => ({ ...names, ...fields }));
}

/** @throws {ConnectorError} ROWS_NOT_KEPT after the archive's retention. */
export async function keptRows(
  archive: Pick<RequestArchive, 'get'>,
  record: RequestRecord,
): Promise<unknown[]> {
  const items = await rowsOf(archive, record);
  if (items !== undefined) return items;
  throw new ConnectorError(`the rows of request ${record.recordId} are not archived`, {
    code: 'ROWS_NOT_KEPT',
  });
}

/** `recordId` of the halves of a request. */
export function halfIdsOf({ recordId }: Pick<RequestRecord, 'recordId'>): readonly [string, string] {
  return [`${recordId}.0`, `${recordId}.1`];
}

/** Stores the halves of a split request that are missing. They follow from its record, so a crash before this loses no row. */
export async function recordHalves(
  { requests, archive }: Pick<LedgerPorts, 'requests' | 'archive'>,
  record: RequestRecord,
): Promise<void> {
  const parts = halvesOf([...record.rows.entries()]);
  for (const [index, recordId] of halfIdsOf(record).entries()) {
    if ((await requests.get(recordId)) !== undefined) continue;
    const { storeClientId, kind, commands, requestKey, uncertain, createdAt, touchedAt } = record;
    const part = parts[index] ?? [];
    const half: RequestRecord = {
      recordId,
      storeClientId,
      kind,
      commands,
      rows: part.map(([, row]) => row),
      ...(requestKey !== undefined && { requestKey: `${requestKey}.${index}` }),
      state: 'prepared',
      // 0 would have the rows confirmed again; they were confirmed before the whole request was sent.
      tries: 1,
      uncertain,
      createdAt,
      touchedAt,
    };
    const items = requestKey && (await archive.get(requestKey));
    if (items && half.requestKey !== undefined) {
      await archive.put(
        half.requestKey,
        part.map(([position]) => items[position]),
      );
    }
    await requests.add(half);
  }
}
