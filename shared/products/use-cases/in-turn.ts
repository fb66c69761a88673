import { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { ProductTurnTable } from '../ports.ts';
import { isAboutRows } from '../rules/refusal.ts';
import { newestFields, released, taken } from '../rules/turns.ts';
import type { ProductTurn, TurnRequest } from '../turn.ts';

export interface InTurnPorts {
  readonly turns: ProductTurnTable;
  readonly clock: { now(): number };
  /** Milliseconds after its signature within which a request lands, or never. */
  readonly attemptLifetimeMs: number;
}

/** The turn of one command at one product. */
export interface Turn {
  /** Names of the fields that no newer command has set. */
  readonly newest: readonly string[];
  /**
   * Keeps the turn for as long as a request may land; to be called before each one leaves.
   *
   * @param signedAt epoch ms.
   */
  extend(signedAt: number): Promise<void>;
}

/**
 * Does `work` while no other command updates the product, so that an older value never lands after a newer one: the
 * newest command wins field by field. The turn is passed on as soon as the outcome is known; otherwise it runs out
 * when nothing of it can land any more. Deletions need no turn: whichever comes first, the product ends deleted.
 *
 * @param key the product's, see `ProductTurnTable`.
 * @throws {ConnectorError} PRODUCT_BUSY, retryable, while it is another command's turn.
 */
export async function inTurn<Result>(
  ports: InTurnPorts,
  key: string,
  request: TurnRequest,
  work: (turn: Turn) => Promise<Result>,
): Promise<Result> {
  const { commandId } = request;
  const extend = (from: number) => take(ports, key, request, from + ports.attemptLifetimeMs);
  const release = (refused: boolean) =>
    ports.turns.update(key, (current) => released(current, commandId, { refused }));
  const turn = await extend(ports.clock.now());
  try {
    const result = await work({
      newest: newestFields(turn, request),
      extend: async (signedAt) => void (await extend(signedAt)),
    });
    await release(false);
    return result;
  } catch (error) {
    if (error instanceof MarketplaceError && error.outcome !== 'unknown') await release(isAboutRows(error));
    throw error;
  }
}

async function take(
  { turns, clock }: InTurnPorts,
  key: string,
  request: TurnRequest,
  until: number,
): Promise<ProductTurn> {
  const turn = await turns.update(key, (current) => taken(current, request, { now: clock.now(), until }));
  if (turn?.holder?.commandId === request.commandId) return turn;
  throw new ConnectorError('another command is updating the product', {
    code: 'PRODUCT_BUSY',
    retryable: true,
  });
}
