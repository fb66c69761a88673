import { jsonBytes } from '../../collections/packer.ts';
import type { PlannedCommands, PlannedRequest, PlannedRow } from '../../requests/domain.ts';
import type { Command, RequestKind } from '../../requests/model.ts';
import { type CommandFault, RowRejections } from '../../requests/rules/rejection.ts';
import { MAX_PRODUCT_BYTES } from '../model.ts';

interface RowOfKind<C extends Command> extends PlannedRow<C> {
  readonly kind: RequestKind;
}

/** A row as it was read, with its fault if it must not be sent. */
interface ReadRow extends Pick<RowOfKind<Command>, 'kind' | 'item' | 'names'> {
  readonly fault?: CommandFault | undefined;
}

/**
 * Plans rows of commands into requests. Rejects a row with a fault, and a row that names the product of an earlier row of its
 * command: an answer could count that product twice.
 *
 * @param valuesOf the rows of a command, not checked yet. Rows that are `undefined` are left out.
 * @param itemsPerRequest most rows per request.
 */
export function planRows<C extends Command>(
  commands: readonly C[],
  valuesOf: (command: C) => readonly unknown[],
  read: (value: unknown, command: C) => ReadRow,
  itemsPerRequest: number,
): PlannedCommands<C> {
  const good: RowOfKind<C>[] = [];
  const rejections = new RowRejections();
  for (const command of commands) {
    const values = valuesOf(command);
    const known = new Map<string, number>();
    for (const [index, value] of values.entries()) {
      if (value === undefined) continue;
      const { fault: own, ...row } = read(value, command);
      const fault = own ?? repeatedFault(known, index, row.names);
      if (fault === undefined) good.push({ command, index, ...row });
      else rejections.add(command, values.length, { index, ...row.names }, fault);
    }
  }
  return { requests: requestsOf(good, itemsPerRequest), rejections: rejections.all };
}

/**
 * The fault of a row that names the product of an earlier row.
 *
 * @param known the index of the first row with each name. The names of a row without the fault are added.
 */
function repeatedFault(
  known: Map<string, number>,
  index: number,
  names: PlannedRow<Command>['names'],
): CommandFault | undefined {
  const own = Object.entries(names).map(([kind, name]) => {
    // SKUs differ by case, UUIDs do not.
    return [kind, `${kind}:${kind === 'sku' ? name : String(name).toLowerCase()}`] as const;
  });
  const [field, key] = own.find(([, name]) => known.has(name)) ?? [];
  const first = known.get(key ?? '');
  if (first === undefined) {
    for (const [, name] of own) known.set(name, index);
    return undefined;
  }
  const message = `row ${index} has the same ${field} as row ${first} of the command`;
  return { code: 'ROW_REPEATED', message, field, details: { firstRowIndex: first } };
}

/**
 * Groups rows into requests. A request has rows of one kind, in order, and may have rows of several commands. It never has rows of
 * two commands for the same product: an answer that names only the product would be ambiguous. Retries of a batch have requests of
 * their own.
 *
 * @param itemsPerRequest most rows per request.
 */
export function requestsOf<C extends Command>(
  rows: readonly RowOfKind<C>[],
  itemsPerRequest: number,
): PlannedRequest<C>[] {
  const groups = Map.groupBy(rows, ({ kind, command: { retryOf } }) => JSON.stringify([kind, retryOf]));
  return [...groups.values()].flatMap((group) => {
    const requests: Draft<C>[] = [];
    for (const { kind, ...row } of group) {
      const draft = requests.at(-1);
      if (draft?.takes(row, itemsPerRequest)) draft.add(row);
      else requests.push(new Draft(kind, row));
    }
    return requests;
  });
}

class Draft<C extends Command> implements PlannedRequest<C> {
  readonly kind: RequestKind;
  readonly rows: PlannedRow<C>[] = [];
  readonly #ownerOfName = new Map<string, C>();
  #bytes = 0;

  constructor(kind: RequestKind, first: PlannedRow<C>) {
    this.kind = kind;
    this.add(first);
  }

  takes(row: PlannedRow<C>, itemsPerRequest: number): boolean {
    return (
      this.rows.length < itemsPerRequest &&
      this.#bytes + bytesOf(row) <= MAX_PRODUCT_BYTES &&
      namesOf(row).every((name) => (this.#ownerOfName.get(name) ?? row.command) === row.command)
    );
  }

  add(row: PlannedRow<C>): void {
    this.rows.push(row);
    this.#bytes += bytesOf(row);
    for (const name of namesOf(row)) this.#ownerOfName.set(name, row.command);
  }
}

function bytesOf({ item }: PlannedRow<Command>): number {
  return jsonBytes(item) + 1;
}

function namesOf({ names }: PlannedRow<Command>): string[] {
  return Object.entries(names).map(([kind, name]) => `${kind}:${String(name).toLowerCase()}`);
}
