import { documentMutants } from './document-mutants.ts';
import { driftMutants } from './drift-mutants.ts';
import { fileMutants } from './file-mutants.ts';
import { laneMutants } from './lane-mutants.ts';
import { ledgerMutants } from './ledger-mutants.ts';
import { listingMutants } from './listing-mutants.ts';
import type { Mutant } from './mutant.ts';
import { orderMutants } from './order-mutants.ts';
import { productMutants } from './product-mutants.ts';
import { sharedStateMutants } from './shared-state-mutants.ts';
import { summaryMutants } from './summary-mutants.ts';
import { sweeperMutants } from './sweeper-mutants.ts';
import { updateMutants } from './update-mutants.ts';

const seenBy = (scenario: string, some: readonly Mutant[]) => some.map((mutant) => ({ ...mutant, scenario }));

/** Every mistake that the simulation must find. */
export const mutants: readonly Mutant[] = [
  ...listingMutants,
  ...laneMutants,
  ...sharedStateMutants,
  ...summaryMutants,
  ...ledgerMutants,
  ...seenBy('product', productMutants),
  ...seenBy('product', updateMutants),
  ...seenBy('stock-files', fileMutants),
  ...seenBy('orders', orderMutants),
  ...seenBy('documents', documentMutants),
  ...seenBy('drift', driftMutants),
  ...sweeperMutants,
];
