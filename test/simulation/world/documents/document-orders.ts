import type { DocumentKind } from '../../../../shared/marketplace/fields.ts';
import type { Random } from '../../engine/random.ts';

/** An order whose documents are requested. */
export interface DocumentOrder {
  readonly orderId: string;
  /** Time from which its state allows documents (epoch ms); infinite: never; `undefined`: there is no such order. */
  readonly readyAt: number | undefined;
}

/** A document command of the partner. */
export interface GivenDocumentCommand {
  readonly commandId: string;
  readonly order: DocumentOrder;
  readonly document: DocumentKind;
  readonly refresh: boolean;
  /** Epoch ms. */
  readonly time: number;
}

/** The orders of one seed. */
export function drawOrders(random: Random, now: number, troubleMs: number): DocumentOrder[] {
  return Array.from({ length: random.integer(1, 5) }, (_, index) => ({
    orderId: `30000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    readyAt: drawReadyAt(random, now, troubleMs),
  }));
}

function drawReadyAt(random: Random, now: number, troubleMs: number): number | undefined {
  if (random.chance(0.5)) return now;
  if (random.chance(0.5)) return now + random.integer(0, 3 * troubleMs);
  return random.chance(0.5) ? Number.POSITIVE_INFINITY : undefined;
}
