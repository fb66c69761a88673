import { Hono } from 'hono';
import * as z from 'zod';
import { type ControlEnv, type ControlTarget, readControl } from './control.ts';

const webhookSettings = z.strictObject({
  url: z.url(),
  secret: z.string().min(1).optional(),
  for: z.enum(['catalog', 'all']).default('catalog'),
});

const limits = z.strictObject({
  requestsPerSecond: z.number().positive().optional(),
  maxItems: z.int().positive().optional(),
});

/** 30 years: the shifted time must still be a date. */
const MAX_OFFSET_MS = 30 * 365 * 24 * 3_600_000;
const clock = z.strictObject({ offsetMs: z.int().min(-MAX_OFFSET_MS).max(MAX_OFFSET_MS) });

/** Controls of the sandbox's webhook, limits and clock, and its reset. */
export function settingsControls({ world }: ControlTarget): Hono<ControlEnv> {
  const app = new Hono<ControlEnv>();
  app.get('/health', (c) => c.json({ ok: true }));
  app.post('/reset', (c) => {
    world.reset();
    return c.json({ ok: true });
  });
  app.put('/webhook', async (c) => {
    const { url, secret, for: wanted } = await readControl(c, webhookSettings);
    world.webhooks.settings = { url, secret, for: wanted };
    return c.json({ url, for: wanted });
  });
  app.put('/limits', async (c) => {
    const { requestsPerSecond, maxItems } = await readControl(c, limits);
    Object.assign(world.marketplace.limits, { requestsPerSecond, maxItems });
    return c.json({ requestsPerSecond, maxItems });
  });
  app.put('/clock', async (c) => {
    const { offsetMs } = await readControl(c, clock);
    world.marketplace.clockOffsetMs = offsetMs;
    return c.json({ offsetMs });
  });
  return app;
}
