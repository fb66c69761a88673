import type { RejectedRow, RowOrigin } from '../model.ts';

/** A row as it is told of: by its position, or by a name of its product. */
export type NamedRow = Pick<RejectedRow, 'rowIndex' | 'externalId' | 'sku' | 'command'>;

/** The row with the product of the command that it is; as it came where `origins` don't say, or it names none of them. */
export function withCommand<Row extends NamedRow>(row: Row, origins: readonly RowOrigin[] = []): Row {
  const origin = originOf(row, origins);
  if (origin === undefined) return row;
  const { commandId, productIndex } = origin;
  return { ...row, command: { commandId, productIndex } };
}

/** The commands that rows came from, each once. */
export function commandIdsOf(origins: readonly RowOrigin[]): string[] {
  return [...new Set(origins.map(({ commandId }) => commandId))];
}

function originOf(
  { rowIndex, externalId, sku }: NamedRow,
  origins: readonly RowOrigin[],
): RowOrigin | undefined {
  if (rowIndex !== undefined) return origins[rowIndex];
  return origins.find((origin) =>
    externalId === undefined ? sku !== undefined && origin.sku === sku : origin.externalId === externalId,
  );
}
