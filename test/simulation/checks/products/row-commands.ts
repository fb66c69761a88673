import * as z from 'zod';
import { type BatchRecord, creationOf, type RejectedRow } from '../../../../shared/batches/model.ts';
import { importIdOf } from '../../../../shared/imports/file/announced-file.ts';
import type { Simulation } from '../../engine/simulation.ts';
import type { ProductTables } from '../../world/products/product-tables.ts';

const sentRow = z.looseObject({ name: z.string(), externalId: z.string() });
type SentRow = z.infer<typeof sentRow>;

/** After quiescence: a batch names the commands of its rows; if there are several, each reported row names its command. */
export function checkRowCommands(simulation: Simulation, { batches, requests }: ProductTables): void {
  for (const batch of batches.all()) {
    const { requestKey = '', kind } = batch.submission ?? {};
    if (creationOf(kind) === undefined) continue;
    const sent = requests.get(requestKey)?.map((row) => sentRow.parse(row));
    // The request was begun more than once, and its rows were never archived.
    if (sent === undefined) continue;
    checkBatch(simulation, batch, sent);
    for (const row of [...batch.rejectedRows, ...(batch.unknownRows ?? [])]) {
      checkRow(simulation, batch, row, sent);
    }
  }
}

function checkBatch(
  simulation: Simulation,
  { batchId, commandId, commandIds, retryOf }: BatchRecord,
  sent: readonly SentRow[],
): void {
  const given = [...new Set(sent.map(({ name }) => commandOfTag(name)))];
  const named = ofDistinctFiles(commandIds ?? [commandId ?? '']);
  if (given.length === named.length && given.every((one, index) => isNamed(one, named[index]))) return;
  if (retryOf !== undefined && commandId?.endsWith(`/${retryOf}`)) return;
  simulation.violate(`P3: ${batchId} has rows of ${given}, and names ${named}`);
}

function checkRow(
  simulation: Simulation,
  { batchId, commandIds }: BatchRecord,
  { rowIndex, externalId, command }: Pick<RejectedRow, 'rowIndex' | 'externalId' | 'command'>,
  sent: readonly SentRow[],
): void {
  const row = sent.find((one, index) =>
    rowIndex === undefined ? one.externalId === externalId : index === rowIndex,
  );
  const named = command && `${command.commandId}/${command.productIndex}`;
  if (commandIds === undefined || row === undefined) {
    if (named === undefined) return;
  } else if (row.name.startsWith('catalog/')) {
    // Invalid rows of a file are left out of its commands.
    if (isNamed(commandOfTag(row.name), command?.commandId)) return;
  } else if (named === row.name) return;
  simulation.violate(`P3: row ${row?.name} of ${batchId} is reported as ${named}`);
}

function commandOfTag(tag: string): string {
  return tag.slice(0, tag.lastIndexOf('/'));
}

/** The IDs, with one of each file: a file has several commands. */
function ofDistinctFiles(commandIds: readonly string[]): string[] {
  const byFile = new Map<string, string>();
  for (const commandId of commandIds) {
    const importId = /^([0-9a-f]{32})\/\d+$/.exec(commandId)?.[1] ?? commandId;
    if (!byFile.has(importId)) byFile.set(importId, commandId);
  }
  return [...byFile.values()];
}

/** Whether a command has that ID: the commands of a file are named after its import. */
function isNamed(given: string, commandId: string | undefined): boolean {
  if (!given.startsWith('catalog/')) return given === commandId;
  const importId = importIdOf({ bucket: 'imports', key: given, etag: given, sequencer: '1' });
  return commandId?.startsWith(`${importId}/`) === true;
}
