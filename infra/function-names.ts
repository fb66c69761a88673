/** Every Lambda function of the stack, by the name of its folder in `functions/`. */
export const functionNames = [
  'change-intake',
  'listing-producer',
  'lane-waker',
  'catalog-importer',
  'product-producer',
  'order-producer',
  'document-fetcher',
  'webhook-receiver',
  'onboarding-callback',
  'summary-processor',
  'batch-sweeper',
  'listing-verifier',
  'operations-api',
] as const;

/** The functions that send requests to the marketplace, and log them. */
export const marketplaceCallers = [
  'listing-producer',
  'product-producer',
  'order-producer',
  'document-fetcher',
  'batch-sweeper',
  'listing-verifier',
  'operations-api',
  'onboarding-callback',
] as const satisfies FunctionName[];

export type FunctionName = (typeof functionNames)[number];
