export type { NoPlace, Permit, PermitOutcome, Permits, Place, PlaceRequest } from '../limits/ports.ts';
export { createMarketplaceClient, type MarketplaceClient } from '../marketplace/client.ts';
export type { IncomingDocument, SaveDocument } from '../marketplace/documents.ts';
export type { ErrorContext } from '../marketplace/error-envelope.ts';
export { clientErrorCodes, MarketplaceError, type Outcome, TransportError } from '../marketplace/errors.ts';
export type {
  Attempt,
  AttemptEnd,
  AttemptObserver,
  CallOptions,
  MarketplaceClientOptions,
} from '../marketplace/options.ts';
export type { StoreCredentials } from '../marketplace/request.ts';
export { type RequestToSign, signRequest } from '../marketplace/signing.ts';
export {
  createHttpTransport,
  type HttpTransport,
  type OpenResponse,
  type Transport,
  type TransportRequest,
} from '../marketplace/transport.ts';
export {
  type ReceivedWebhook,
  verifyWebhook,
  type WebhookRefusal,
  type WebhookScheme,
  type WebhookVerification,
  type WebhookVerificationOptions,
} from '../marketplace/webhooks/verification.ts';
