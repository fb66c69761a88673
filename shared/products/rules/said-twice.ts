import type { Problem } from '../../marketplace/fields.ts';

type Warehouses = readonly { readonly clientId: string; readonly stock: number }[];

interface Variant {
  readonly sku?: string | undefined;
  readonly optionIndexes?: readonly number[] | undefined;
  readonly warehouses?: Warehouses | undefined;
}

interface Variants {
  readonly items?: readonly Variant[] | undefined;
  readonly optionGroups?: readonly { readonly level: number }[] | undefined;
}

/**
 * Problems of a product that gives a value twice. The specification neither forbids this nor says which value counts.
 */
export function saidTwice({
  warehouses,
  variants,
}: {
  readonly warehouses?: Warehouses | undefined;
  /** A simple product may have `null`: its schema does not know the field. */
  readonly variants?: Variants | null | undefined;
}): Problem[] {
  return [
    ...stocksTwice(warehouses, []),
    ...variantsTwice(variants ?? {}),
    ...(variants?.items ?? []).flatMap((item, index) =>
      stocksTwice(item.warehouses, ['variants', 'items', index]),
    ),
  ];
}

function stocksTwice(warehouses: Warehouses = [], path: Problem['path']): Problem[] {
  const stocks = new Map<string, number>();
  for (const { clientId, stock } of warehouses) {
    const before = stocks.get(clientId) ?? stock;
    if (before !== stock) {
      const message = `must give ${clientId} one stock, not ${before} and ${stock}`;
      return [{ path: [...path, 'warehouses'], rule: 'WAREHOUSE_REPEATED', message }];
    }
    stocks.set(clientId, stock);
  }
  return [];
}

/** Two variants with the same SKU or options, or two option groups with the same level: it is not known which one is meant. */
function variantsTwice({ items = [], optionGroups = [] }: Variants): Problem[] {
  const options = items.map(({ optionIndexes = [] }) => optionIndexes.join() || undefined);
  return [
    ...repeated(items.map(({ sku }) => sku)).map((item) => ({
      path: ['variants', 'items', item, 'sku'],
      rule: 'SKU_REPEATED',
      message: 'an earlier variant has this SKU',
    })),
    ...repeated(options).map((item) => ({
      path: ['variants', 'items', item, 'optionIndexes'],
      rule: 'OPTIONS_REPEATED',
      message: 'an earlier variant has these options',
    })),
    ...repeated(optionGroups.map(({ level }) => level)).map((group) => ({
      path: ['variants', 'optionGroups', group, 'level'],
      rule: 'OPTION_LEVEL_REPEATED',
      message: 'an earlier group has this level',
    })),
  ];
}

/** Positions of values that are equal to an earlier value. */
function repeated(values: readonly unknown[]): number[] {
  const seen = new Set<unknown>();
  return values.flatMap((value, position) => {
    if (value === undefined) return [];
    const isRepeated = seen.has(value);
    seen.add(value);
    return isRepeated ? [position] : [];
  });
}
