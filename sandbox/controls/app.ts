import { Hono } from 'hono';
import { pageRoutes } from '../page/routes.ts';
import { type ControlEnv, ControlError, type ControlTarget } from './control.ts';
import { faultControls } from './faults.ts';
import { observationControls } from './observation.ts';
import { onboardingControls } from './onboarding.ts';
import { productControls } from './products.ts';
import { settingsControls } from './settings.ts';
import { storeAndOrderControls } from './stores-and-orders.ts';

/** All paths below `/sandbox`, which are unsigned. */
export function controlApp(target: ControlTarget): Hono<ControlEnv> {
  const app = new Hono<ControlEnv>().basePath('/sandbox');
  const parts = [
    settingsControls,
    faultControls,
    observationControls,
    productControls,
    storeAndOrderControls,
    onboardingControls,
    pageRoutes,
  ];
  for (const part of parts) app.route('/', part(target));
  app.notFound((c) => c.json({ error: { code: 'NOT_FOUND', message: 'No such control.' } }, 404));
  app.onError((error, c) => {
    if (!(error instanceof ControlError)) throw error;
    return c.json({ error: { code: 'CONTROL_REFUSED', message: error.message } }, error.status);
  });
  return app;
}
