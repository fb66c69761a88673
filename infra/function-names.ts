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

/** The functions that perform commands, and defer them. */
export const commandPerformers = [
  'product-producer',
  'order-producer',
  'document-fetcher',
] as const satisfies FunctionName[];

/** The functions that send requests to the marketplace, and log them. */
export const marketplaceCallers = [
  'listing-producer',
  ...commandPerformers,
  'batch-sweeper',
  'listing-verifier',
  'operations-api',
  'onboarding-callback',
] as const satisfies FunctionName[];

export type FunctionName = (typeof functionNames)[number];

/** The ID of a function's construct: its name in Pascal case, `ChangeIntake` for `change-intake`. */
export function constructIdOf(name: FunctionName): string {
  return name.replace(/(^|-)(.)/g, (_, _dash, letter: string) => letter.toUpperCase());
}
