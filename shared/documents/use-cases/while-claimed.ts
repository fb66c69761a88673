import { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { DocumentClaimTable } from '../ports.ts';
import { claimed, givenBack } from '../rules/claim.ts';
import { type DocumentName, documentClaimKey } from '../rules/document-key.ts';

export interface WhileClaimedPorts {
  readonly documentClaims: DocumentClaimTable;
  readonly clock: { now(): number };
  /** Unique every time. */
  readonly newId: () => string;
}

/**
 * Does the work of fetching a document while nobody else does. After a failure that leaves open whether the document
 * is still being stored, the claim is left to run out.
 *
 * @throws {ConnectorError} DOCUMENT_BUSY, retryable, while somebody else fetches it; else what `work` throws.
 */
export async function whileClaimed<Result>(
  ports: WhileClaimedPorts,
  name: DocumentName,
  work: () => Promise<Result>,
): Promise<Result> {
  const key = documentClaimKey(name);
  const holder = ports.newId();
  const claim = await ports.documentClaims.update(key, (current) =>
    claimed(current, holder, ports.clock.now()),
  );
  if (claim?.holder !== holder) throw busy(name);
  // A claim that can't be given back runs out; the document must not be lost over it.
  const giveBack = () =>
    ports.documentClaims.update(key, (current) => givenBack(current, holder)).catch(() => undefined);
  try {
    const result = await work();
    await giveBack();
    return result;
  } catch (error) {
    if (error instanceof MarketplaceError) await giveBack();
    throw error;
  }
}

function busy({ document, orderId }: DocumentName): ConnectorError {
  return new ConnectorError(`the ${document} of order ${orderId} is being fetched`, {
    code: 'DOCUMENT_BUSY',
    retryable: true,
  });
}
