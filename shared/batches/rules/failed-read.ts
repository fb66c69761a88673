import { MarketplaceError } from '../../marketplace/errors.ts';

/**
 * Whether a read failed in a way that says nothing about the next one: not for the credentials, nor for a fault of
 * ours.
 */
export function isPassing(error: unknown): boolean {
  return error instanceof MarketplaceError && !error.code.startsWith('AUTH_');
}
