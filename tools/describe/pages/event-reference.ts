import { incomingDetailSchemas } from '../../../shared/events/incoming.ts';
import { outgoingDetailSchemas } from '../../../shared/events/outgoing.ts';
import type { ColumnType } from '../../../shared/imports/rules/cells.ts';
import { type FileKindName, fileKinds } from '../../../shared/imports/rules/file-kinds.ts';
import { currentDocuments } from '../documents.ts';
import { markdownTable } from './markdown.ts';
import { type JsonSchema, schemaText } from './schema-text.ts';

/** Events whose shape the page describes by that of another one. */
const DESCRIBED_BY_ANOTHER = new Set([
  'product.create.requested',
  'product.update.requested',
  'batch.submitted',
  'batch.unresolved',
]);

/** Events whose shape the page shows. */
export const detailTypes = [
  ...Object.keys(incomingDetailSchemas),
  ...Object.keys(outgoingDetailSchemas),
].filter((type) => !DESCRIBED_BY_ANOTHER.has(type));

/** The shape of an event's `detail`, by the schema that the code checks it with. */
export function detailShape(detailType: string): string {
  const schema = currentDocuments()[`events/${detailType}.schema.json`] as JsonSchema;
  return `\`\`\`ts\n${schemaText(schema)}\n\`\`\``;
}

/** The columns of a kind of file in CSV. */
export function csvColumnTable(kind: FileKindName): string {
  return markdownTable(
    ['column', 'cell'],
    [...fileKinds[kind].columns].map(([name, type]) => [`\`${name}\``, CELLS[type]]),
  );
}

const CELLS: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  id: 'text without white space around it',
  sku: 'text',
  whole: 'whole number',
  stock: 'whole number',
  number: 'number',
  numberOrNull: 'number; `null` clears it',
  boolean: '`true` or `false`',
  list: 'URLs separated by commas, or by `|`',
  tags: 'texts separated by commas, or by `|`',
  warehouses: '`clientId:stock` separated by `|`, such as `wh-1:5|wh-2:7`',
  warehouseStock: '`clientId:stock` separated by `|`; or, with `stock`, `clientId` separated by `|`',
  time: 'ISO 8601 with its offset from UTC, or epoch milliseconds',
};
