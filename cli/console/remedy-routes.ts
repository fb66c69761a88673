import { Hono } from 'hono';
import * as z from 'zod';
import { storeViewSchema } from '../../shared/stores/model.ts';
import { findQueue } from '../queues/dead-letter-queues.ts';
import { redrive } from '../queues/redrive.ts';
import { parseBody } from './answers.ts';
import type { ConsoleOptions } from './console-options.ts';
import type { SharedRead } from './data/shared-read.ts';

const REDRIVE_WITHIN_MS = 60_000;

/** The token alone: the page may not change how a store names its products. */
const tokenBody = z.strictObject({ storeToken: z.string().trim().min(1).max(4096) });

/** What a person does about what waits, where that is more than one call of the operations API that the console passes on. */
export function remedyRoutes(
  { api, target, aws }: Pick<ConsoleOptions, 'api' | 'target' | 'aws'>,
  state: Pick<SharedRead<unknown>, 'forget'>,
): Hono {
  const app = new Hono();
  app.post('/stores/:store/token', async (c) => {
    const body = parseBody(tokenBody, await c.req.json());
    const store = await api.call(storeViewSchema, 'PUT', ['stores', c.req.param('store')], { body });
    state.forget();
    return c.json({ state: store.state });
  });

  app.post('/dead-letters/:queue/redrive', async (c) => {
    const queue = await findQueue({ aws, target }, c.req.param('queue'));
    const moved = await redrive({ aws }, queue, REDRIVE_WITHIN_MS);
    state.forget();
    return c.json({ ...moved, to: queue.sourceName, hidden: queue.hidden });
  });
  return app;
}
