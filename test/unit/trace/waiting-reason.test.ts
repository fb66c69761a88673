import { expect, test } from 'vitest';
import type { Health } from '../../../shared/health/model.ts';
import type { Listing } from '../../../shared/listings/model.ts';
import { type WaitingFacts, waitingReason } from '../../../shared/trace/waiting-reason.ts';
import { NOW, store } from '../products/update-setup.ts';

const later = NOW + 60_000;
const LATER = new Date(later).toISOString();
const healthy: Health = {
  state: 'healthy',
  text: 'The marketplace answers',
  recent: { minutes: 5, requests: 1, failed: 0 },
};
const down: Health = { ...healthy, state: 'failing', text: 'The marketplace answers 503 since 01:02' };
const register = { value: 5, version: NOW };
const stock: Listing = {
  storeClientId: 's-1',
  target: 'sku:A',
  versionKind: 'time',
  desired: { stock: register },
  sent: {},
  settled: {},
  failures: 0,
  waitingSince: NOW,
};
const price: Listing = { ...stock, desired: { price: register } };
const both: Listing = { ...stock, desired: { price: register, stock: register } };
const noAnswer = { at: LATER, outcome: 'unknown', code: 'TIMEOUT' } as const;
const hold = {
  since: '2026-11-21T07:00:00.000Z',
  reason: '40 % changed',
  changedListings: 4,
  knownListings: 10,
  announced: true,
};

test.each<[string, Listing, Partial<WaitingFacts>, string, string | undefined]>([
  ['its request', stock, {}, 'waits in the lane of the store to be sent', undefined],
  [
    'a price before the stock',
    both,
    {},
    'waits in the lane of the store to be sent; its stock waits for its price',
    undefined,
  ],
  [
    'the marketplace',
    stock,
    { health: down },
    'waits for the marketplace: The marketplace answers 503 since 01:02',
    undefined,
  ],
  [
    'the credentials',
    stock,
    { health: { ...healthy, state: 'refused', text: 'AUTH_010' } },
    "waits for the partner's credentials: AUTH_010",
    undefined,
  ],
  [
    'the end of a restore, whatever else it waits for',
    stock,
    { isRestored: true, health: down, lane: { paused: { until: later, count: 2 } } },
    'waits for a person: nothing is sent from restored tables before `restore end`',
    undefined,
  ],
  [
    'a suspended store, even while the marketplace fails',
    stock,
    { health: down, store: { ...store, state: 'suspended', stateReason: 'AUTH_014: revoked' } },
    `waits for the store: it is suspended since ${store.updatedAt}: AUTH_014: revoked`,
    undefined,
  ],
  [
    'a person, who releases held prices',
    price,
    { guard: { storeClientId: 's-1', hold } },
    'waits for a person: the prices of the store are held since 2026-11-21T07:00:00.000Z: 40 % changed',
    undefined,
  ],
  [
    'a person, while a discard of held prices has not come to its end',
    price,
    { guard: { storeClientId: 's-1', hold, liftedAt: Date.parse(hold.since) + 60_000 } },
    'waits for a person: the prices of the store are held since 2026-11-21T07:00:00.000Z: 40 % changed',
    undefined,
  ],
  [
    'no person, if only stock waits',
    stock,
    { guard: { storeClientId: 's-1', hold } },
    'waits in the lane of the store to be sent',
    undefined,
  ],
  [
    'an unknown outcome',
    { ...stock, notBefore: later },
    {},
    'waits until the outcome of its last request is known, or can no longer change',
    LATER,
  ],
  [
    'a back-off',
    { ...price, backoffUntil: later, failures: 2, tries: { count: 2 } },
    {},
    'waits for the marketplace: it refused it for now; 2 tries so far',
    LATER,
  ],
  [
    'an answer, after a try without one',
    { ...price, backoffUntil: later, failures: 1, tries: { count: 1, lastFailed: noAnswer } },
    {},
    'waits for the marketplace: it did not answer; 1 try so far',
    LATER,
  ],
  [
    'a permit',
    stock,
    { lane: { paused: { until: later, count: 2 } } },
    'waits for a permit of the rate limiter: other work uses the whole rate',
    LATER,
  ],
  [
    'all requests to be sent again, which the marketplace asked to wait',
    stock,
    { health: { ...healthy, pausedUntil: LATER }, lane: { paused: { until: later, count: 1 } } },
    'waits for the marketplace: it asked all requests to wait',
    LATER,
  ],
  [
    'a Retry-After that concerns its store only',
    stock,
    { lane: { paused: { until: later, count: 0 } } },
    'waits for the marketplace: it asked this store to wait',
    LATER,
  ],
])('a waiting value says that it waits for %s', (_, listing, facts, message, until) => {
  const all = {
    store,
    lane: undefined,
    guard: undefined,
    health: healthy,
    isRestored: false,
    now: NOW,
    ...facts,
  };
  expect(waitingReason(listing, all)).toEqual({ message, ...(until && { until }) });
});
