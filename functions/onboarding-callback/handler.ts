import { documentClient } from '../../shared/aws/document-client.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { connectMarketplace } from '../../shared/aws/marketplace.ts';
import { createSessionTable } from '../../shared/aws/session-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { type HttpRequest, httpHandler } from '../../shared/lambda/http-handler.ts';
import { addCount, describeError, logger } from '../../shared/lambda/observability.ts';
import { requestLog } from '../../shared/lambda/request-log.ts';
import { warehouseCallsOver } from '../../shared/marketplace/warehouses.ts';
import { environment } from '../../shared/settings/environment.ts';
import { onboardingCallbackSchema } from '../../shared/stores/onboarding.ts';
import { finishOnboarding, type OnboardingOutcome } from '../../shared/stores/use-cases/onboard-store.ts';
import { systemClock } from '../../shared/time/system-clock.ts';
import { isOutcome, outcomePage, redirectToPage } from './page.ts';

const tables = documentClient();

const ports = {
  stores: createStoreTable(tables, environment.storesTable),
  sessions: createSessionTable(tables, environment.sessionsTable),
  events: createEventPublisher(environment.eventBusName),
  marketplace: warehouseCallsOver(connectMarketplace(environment, { tables, observer: requestLog }).call),
  clock: systemClock,
  defaultNames: { products: environment.productNames, orders: environment.orderNames },
};

/** Time to check the credentials, within the 30 s of an HTTP API. */
const CHECK_MS = 20_000;

/** `GET /onboarding/callback`: the marketplace redirects the seller here with the store's credentials. */
export const handler = httpHandler(async ({ path, query, repeated }) => {
  if (query[environment.callbackTokenParameter] === undefined) {
    return outcomePage(isOutcome(query.outcome) ? query.outcome : 'refused');
  }
  // The values of a repeated parameter were joined. They must not use up the session.
  const outcome = repeated.length > 0 ? 'refused' : await finish(query);
  const metric = outcome === 'connected' ? 'StoresConnected' : 'OnboardingsNotFinished';
  addCount(metric);
  return redirectToPage(path, outcome);
});

async function finish(query: HttpRequest['query']): Promise<OnboardingOutcome> {
  const { data: callback } = onboardingCallbackSchema.safeParse({
    nonce: query.nonce,
    sid: query[environment.callbackSessionParameter],
    storeClientId: query[environment.callbackStoreParameter],
    storeToken: query[environment.callbackTokenParameter],
  });
  if (callback === undefined) return 'refused';
  const { sid, storeClientId } = callback;
  try {
    const outcome = await finishOnboarding(ports, callback, AbortSignal.timeout(CHECK_MS));
    logger.info('onboarding callback processed', { sid, storeClientId, outcome });
    return outcome;
  } catch (error) {
    logger.error('onboarding callback failed', { sid, storeClientId, ...describeError(error) });
    return 'failed';
  }
}
