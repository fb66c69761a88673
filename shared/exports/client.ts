export { createMarketplaceClient, type MarketplaceClient } from '../marketplace/client.ts';
export {
  clientErrorCodes,
  type ErrorContext,
  MarketplaceError,
  type Outcome,
} from '../marketplace/errors.ts';
export type {
  CallOptions,
  MarketplaceClientOptions,
  NoPlace,
  Permit,
  PermitOutcome,
  Permits,
  Place,
  PlaceRequest,
} from '../marketplace/options.ts';
export { type RequestToSign, signRequest } from '../marketplace/signing.ts';
export { createHttpTransport, type HttpTransport, type Transport } from '../marketplace/transport.ts';
export {
  type ReceivedWebhook,
  verifyWebhook,
  type WebhookVerification,
  type WebhookVerificationOptions,
} from '../marketplace/webhooks/verification.ts';
