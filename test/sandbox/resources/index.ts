import type { Endpoint } from '../api/endpoint.ts';
import { documents } from './documents.ts';
import { inventory } from './inventory.ts';
import { prices } from './prices.ts';
import { productImports } from './product-imports.ts';
import { productReads } from './product-reads.ts';
import { warehouses } from './warehouses.ts';

/** The endpoints of the spec; a path without parameters stands before one with them that would match it too. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...productImports,
  prices,
  inventory,
  ...productReads,
  ...warehouses,
  ...documents,
];
