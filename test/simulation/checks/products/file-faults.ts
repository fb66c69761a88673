import type { ProductWorld } from '../../world/products/product-world.ts';

/**
 * P2, P3: a fault for which a file was not read is reported, and no other is.
 *
 * @param world once everything has ended
 */
export function checkFileFaults({ simulation, tables }: ProductWorld): void {
  const faults = new Map(
    tables.imports.all().map(({ importId, reading }) => [importId, reading?.fault?.code]),
  );
  const reported = new Set<string>();
  for (const { commandId = '', code } of tables.rejections.values()) {
    if (!code.startsWith('FILE_')) continue;
    reported.add(commandId);
    if (faults.get(commandId) !== code)
      simulation.violate(`P3: ${commandId} is rejected by ${code}, and was read`);
  }
  for (const [importId, code] of faults) {
    if (code?.startsWith('FILE_') && !reported.has(importId))
      simulation.violate(`P2: the fault ${code} of ${importId} is not reported`);
  }
}
