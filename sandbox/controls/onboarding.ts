import { Hono } from 'hono';
import * as z from 'zod';
import { onboardingPage } from '../page/onboarding-page.ts';
import { type OnboardSession, SESSION_LIFETIME_MS } from '../state/session.ts';
import { newStore, type Store } from '../state/store.ts';
import type { World } from '../world.ts';
import { type ControlEnv, ControlError, type ControlTarget, readControl } from './control.ts';

const completion = z.strictObject({ storeClientId: z.string().min(1).optional() });

/** Controls of the seller's side of an onboarding: a call, and a page for a person. */
export function onboardingControls({ world }: ControlTarget): Hono<ControlEnv> {
  const app = new Hono<ControlEnv>();
  app.get('/onboarding/:sid', (c) => {
    const session = openSession(world, c.req.param('sid'));
    return c.html(onboardingPage(session));
  });
  app.post('/onboarding/:sid/complete', async (c) => {
    const session = openSession(world, c.req.param('sid'));
    const { storeClientId } = await readControl(c, completion);
    return c.json({ location: complete(world, session, storeClientId) });
  });
  app.post('/onboarding/:sid/agree', (c) =>
    c.redirect(complete(world, openSession(world, c.req.param('sid')), undefined), 303),
  );
  return app;
}

/** @throws ControlError 404 if the session is unknown, 409 if it was completed, 410 if it has expired */
function openSession(world: World, sid: string): OnboardSession {
  const session = world.marketplace.sessions.get(sid);
  if (session === undefined) throw new ControlError(404, 'No such onboarding session.');
  if (session.completed) throw new ControlError(409, 'This onboarding session was completed already.');
  const now = world.clock.now() + world.marketplace.clockOffsetMs;
  if (now < session.expiresAt) return session;
  throw new ControlError(
    410,
    `This onboarding session has expired: it was valid for ${SESSION_LIFETIME_MS / 60_000} minutes.`,
  );
}

/** The seller agrees: connects the store with a new token. @returns the redirect with the token */
function complete(world: World, session: OnboardSession, storeClientId: string | undefined): string {
  const store = storeFor(world, session.partnerClientId, storeClientId);
  session.completed = true;
  store.state = 'connected';
  store.token = `token-${world.newId()}`;
  const location = new URL(session.redirectUri);
  location.searchParams.set('storeClientId', store.clientId);
  location.searchParams.set('storeToken', store.token);
  location.searchParams.set('sid', session.sid);
  location.searchParams.set('requestId', session.requestId);
  return location.href;
}

function storeFor(world: World, partnerClientId: string, storeClientId = `store-${world.newId()}`): Store {
  const { stores } = world.marketplace;
  const known = stores.get(storeClientId);
  if (known !== undefined && known.partnerClientId !== partnerClientId) {
    throw new ControlError(409, `Store ${storeClientId} belongs to another partner.`);
  }
  const store = known ?? newStore(storeClientId, partnerClientId, '');
  stores.set(storeClientId, store);
  return store;
}
