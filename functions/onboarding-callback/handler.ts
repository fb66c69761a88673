import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { documentClient, eventBridgeClient } from '../../shared/aws/clients.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { connectCall, marketplaceSettings } from '../../shared/aws/marketplace.ts';
import { createSessionTable } from '../../shared/aws/session-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { describeError } from '../../shared/lambda/describe-error.ts';
import { type HttpRequest, httpHandler } from '../../shared/lambda/http-handler.ts';
import { logger, metrics } from '../../shared/lambda/observability.ts';
import { warehouseCallsOver } from '../../shared/marketplace/warehouses.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';
import { finishOnboarding, type OnboardingOutcome } from '../../shared/stores/use-cases/finish-onboarding.ts';
import { systemClock } from '../../shared/time/system-clock.ts';
import { isOutcome, leadToPage, outcomePage } from './page.ts';
import { readCallback } from './read-callback.ts';

const environment = readEnvironment([
  ...marketplaceSettings,
  'storesTable',
  'sessionsTable',
  'eventBusName',
  'callbackStoreParameter',
  'callbackTokenParameter',
  'callbackSessionParameter',
  'productNames',
  'orderNames',
]);
const tables = documentClient();

const ports = {
  stores: createStoreTable(tables, environment.storesTable),
  sessions: createSessionTable(tables, environment.sessionsTable),
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
  marketplace: warehouseCallsOver(await connectCall(environment)),
  clock: systemClock,
  defaultNames: { products: environment.productNames, orders: environment.orderNames },
};

const parameters = {
  storeClientId: environment.callbackStoreParameter,
  storeToken: environment.callbackTokenParameter,
  sid: environment.callbackSessionParameter,
};

/** Milliseconds for the check of the credentials, within the 30 s that an HTTP API waits. */
const CHECK_MS = 20_000;

/** `GET /onboarding/callback`: where the marketplace sends the seller back to, with the store's credentials. */
export const handler = httpHandler(async ({ path, query }) => {
  if (query[parameters.storeToken] === undefined) {
    return outcomePage(isOutcome(query.outcome) ? query.outcome : 'refused');
  }
  const outcome = await finish(query);
  metrics.addMetric(
    outcome === 'connected' ? 'StoresConnected' : 'OnboardingsNotFinished',
    MetricUnit.Count,
    1,
  );
  return leadToPage(path, outcome);
});

async function finish(query: HttpRequest['query']): Promise<OnboardingOutcome> {
  const callback = readCallback(query, parameters);
  if (callback === undefined) return 'refused';
  const { sid, storeClientId } = callback;
  try {
    const outcome = await finishOnboarding(ports, callback, AbortSignal.timeout(CHECK_MS));
    logger.info('onboarding callback taken', { sid, storeClientId, outcome });
    return outcome;
  } catch (error) {
    logger.error('onboarding callback failed', { sid, storeClientId, ...describeError(error) });
    return 'failed';
  }
}
