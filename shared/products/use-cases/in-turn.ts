import { stepKey } from '../../commands/model.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { ProductChanges } from '../../marketplace/product-request.ts';
import type { ProductTurnTable } from '../ports.ts';
import { isAboutRows } from '../rules/refusal.ts';
import { newestFields, passedOn, settled, taken } from '../rules/turns.ts';
import type { ProductTurn, TurnRequest } from '../turn.ts';

export interface InTurnPorts {
  readonly turns: ProductTurnTable;
  readonly clock: { now(): number };
  readonly newId: () => string;
  /** Milliseconds after its signature within which a request lands, or never. */
  readonly attemptLifetimeMs: number;
}

/** The turn of one command at one product. */
export interface Turn {
  /** Names of the fields that no newer command has set. */
  readonly newest: readonly string[];
  /**
   * Keeps the turn for as long as a request may land; to be called before each one leaves, as the last thing.
   *
   * @param signedAt epoch ms.
   * @throws {ConnectorError} PRODUCT_BUSY when the turn is over: the request must not leave.
   */
  extend(signedAt: number): Promise<void>;
  /** Says that nobody knows what came of the request that left last: it may still land. */
  doubt(): void;
  /** Says that the marketplace took the newest fields, and passes the turn on; to be called before the command is done. */
  settle(): Promise<void>;
}

/**
 * Does `work` while no other command updates the product, so that an older value never lands after a newer one: the
 * newest command wins field by field. The turn is passed on as soon as the outcome is known; otherwise it runs out
 * when nothing of it can land any more. Deletions need no turn: whichever comes first, the product ends deleted.
 *
 * @param key the product's, see `ProductTurnTable`.
 * @throws {ConnectorError} PRODUCT_BUSY, retryable, while it is another command's turn, or while it is not known whether
 * a newer one had its effect.
 */
export async function inTurn<Result>(
  ports: InTurnPorts,
  key: string,
  command: Omit<TurnRequest, 'turnId'>,
  work: (turn: Turn) => Promise<Result>,
): Promise<Result> {
  const { turns, clock } = ports;
  const request = { ...command, turnId: ports.newId() };
  const extend = (from: number) => take(ports, key, request, from + ports.attemptLifetimeMs);
  /** Epoch ms: until then the request that left last, and one before it whose outcome is not known, may land. */
  let [lastUntil, doubtedUntil] = [0, 0];
  const settle = (effective: readonly string[]) =>
    turns.update(key, (current) => settled(current, request, { effective, until: doubtedUntil }));
  const newest = newestFields(await extend(clock.now()), request);
  try {
    const result = await work({
      newest,
      extend: async (signedAt) => {
        const still = newestFields(await extend(signedAt), request);
        const until = signedAt + ports.attemptLifetimeMs;
        // Held up for so long that a newer one came between, or that it may be another one's turn by now.
        if (still.length < newest.length || clock.now() >= until) throw productBusy();
        lastUntil = until;
      },
      doubt: () => {
        doubtedUntil = Math.max(doubtedUntil, lastUntil);
      },
      settle: async () => void (await settle(newest)),
    });
    // Without effect where it is settled; otherwise there was nothing to be done.
    await settle([]);
    return result;
  } catch (error) {
    if (error instanceof MarketplaceError && isAboutRows(error)) await settle([]);
    else if (error instanceof MarketplaceError && error.outcome !== 'unknown') {
      await turns.update(key, (current) => passedOn(current, request, Math.max(doubtedUntil, clock.now())));
    }
    throw error;
  }
}

/** Key of a product's turn. */
export function turnKey(storeClientId: string, productId: string): string {
  return stepKey(storeClientId, 'product', productId);
}

/** The changes that no newer command has made; `undefined` when there are none: all is as wanted already. */
export function newestOf(changes: ProductChanges, { newest }: Turn): ProductChanges | undefined {
  const own = Object.entries(changes).filter(([field]) => newest.includes(field));
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

async function take(
  { turns, clock }: InTurnPorts,
  key: string,
  request: TurnRequest,
  until: number,
): Promise<ProductTurn> {
  const turn = await turns.update(key, (current) => taken(current, request, { now: clock.now(), until }));
  // Its own turn may stand there still, though it has run out and is another one's by now.
  if (turn?.openTurns.some((own) => own.turnId === request.turnId && own.until >= until)) return turn;
  throw productBusy();
}

/** Whether it was not the command's turn. */
export function isProductBusy(error: unknown): boolean {
  return error instanceof ConnectorError && error.code === PRODUCT_BUSY;
}

const PRODUCT_BUSY = 'PRODUCT_BUSY';

function productBusy(): ConnectorError {
  return new ConnectorError('another command is updating the product', {
    code: PRODUCT_BUSY,
    retryable: true,
  });
}
