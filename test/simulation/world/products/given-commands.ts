import type { PartnerValues } from '../../checks/newest-wins.ts';
import type { PlannedProduct, PlannedStore } from './plan.ts';

interface CommandFacts {
  readonly store: PlannedStore;
  /** The ID of the command; for a file, the name of its object. */
  readonly commandId: string;
  /** Epoch ms. */
  readonly time: number;
  /** Epoch ms: when it was given. Default: at its time. */
  readonly givenAt?: number;
}

/** One product of a creation; `tag` is the name that it is created under. */
export interface GivenRow {
  readonly tag: string;
  readonly product: PlannedProduct;
}

/** Syncs or creates products, by an event or by a file. */
export interface GivenCreation extends CommandFacts {
  readonly kind: 'creation';
  readonly origin: 'event' | 'file';
  readonly rows: readonly GivenRow[];
}

export interface GivenUpdate extends CommandFacts {
  readonly kind: 'update';
  readonly productId: string;
  readonly product: PlannedProduct;
  /** Names of the fields of the product itself. */
  readonly fields: readonly string[];
  /** Values for listings, by their unit. */
  readonly offers: readonly { readonly unit: string; readonly values: PartnerValues }[];
  /** Why it is refused whole: by a rule of the connector, for a time far ahead, or by the marketplace. */
  readonly fault: 'broken' | 'ahead' | 'refused' | undefined;
}

export interface GivenDeletion extends CommandFacts {
  readonly kind: 'deletion';
  readonly ids: readonly string[];
}

export type GivenCommand = GivenCreation | GivenUpdate | GivenDeletion;

/** Which of two commands is newer: by their times, then by their IDs. */
export function compareCommands(
  a: Pick<CommandFacts, 'time' | 'commandId'>,
  b: Pick<CommandFacts, 'time' | 'commandId'>,
): number {
  if (a.time !== b.time) return a.time - b.time;
  return a.commandId === b.commandId ? 0 : a.commandId < b.commandId ? -1 : 1;
}
