import { documentMutants } from './document-mutants.ts';
import { driftMutants } from './drift-mutants.ts';
import { fileMutants } from './file-mutants.ts';
import { laneMutants } from './lane-mutants.ts';
import { ledgerMutants } from './ledger-mutants.ts';
import { listingMutants } from './listing-mutants.ts';
import type { Mutant } from './mutant.ts';
import { orderMutants } from './order-mutants.ts';
import { productMutants } from './product-mutants.ts';
import { renameMutants } from './rename-mutants.ts';
import { sharedStateMutants } from './shared-state-mutants.ts';
import { summaryMutants } from './summary-mutants.ts';
import { sweeperMutants } from './sweeper-mutants.ts';
import { updateMutants } from './update-mutants.ts';

const seenBy = (scenario: string, some: readonly Mutant[]) => some.map((mutant) => ({ ...mutant, scenario }));

/** Every mistake that the simulation must find, by what it is about. */
export const mutantGroups: Readonly<Record<string, readonly Mutant[]>> = {
  listings: listingMutants,
  lanes: laneMutants,
  'shared state': sharedStateMutants,
  summaries: summaryMutants,
  ledger: ledgerMutants,
  products: seenBy('product', productMutants),
  updates: seenBy('product', updateMutants),
  renames: seenBy('renames', renameMutants),
  files: seenBy('stock-files', fileMutants),
  orders: seenBy('orders', orderMutants),
  documents: seenBy('documents', documentMutants),
  drift: seenBy('drift', driftMutants),
  sweeper: sweeperMutants,
};

export const mutants: readonly Mutant[] = Object.values(mutantGroups).flat();
