import type { Endpoint } from '../api/endpoint.ts';
import { brands } from './brands.ts';
import { documents } from './documents.ts';
import { inventory } from './inventory.ts';
import { onboarding } from './onboarding.ts';
import { orderDecisions } from './order-decisions.ts';
import { orderDropoffs } from './order-dropoffs.ts';
import { prices } from './prices.ts';
import { productDeletion } from './product-deletion.ts';
import { productImports } from './product-imports.ts';
import { productReads } from './product-reads.ts';
import { productUpdate } from './product-update.ts';
import { unbinding } from './unbinding.ts';
import { warehouses } from './warehouses.ts';

/** The 20 endpoints. A path without parameters comes before a path with parameters that would match it too. */
export const ENDPOINTS: readonly Endpoint[] = [
  onboarding,
  unbinding,
  ...productImports,
  prices,
  inventory,
  productDeletion,
  productUpdate,
  ...productReads,
  ...warehouses,
  orderDecisions,
  orderDropoffs,
  ...documents,
  brands,
];
