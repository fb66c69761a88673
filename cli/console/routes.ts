import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { incomingDetailTypes } from '../../shared/events/incoming.ts';
import type { ApiCall } from '../clients/api-client.ts';
import { usageError } from '../errors.ts';
import { checkDetail, putEvent } from '../events/put-event.ts';
import { commandOf } from '../invocation.ts';
import { findQueue } from '../queues/dead-letter-queues.ts';
import { readDeadLetters } from '../queues/dead-letters.ts';
import { parseBody, readOnlyError } from './answers.ts';
import type { ConsoleOptions } from './console-options.ts';
import type { BusStream } from './data/bus-stream.ts';
import { driftPageQuery, readDriftPage } from './data/drift-page.ts';
import { find } from './data/find.ts';
import { findOrder } from './data/find-order.ts';
import type { Flow } from './data/read-flow.ts';
import type { Hours } from './data/read-hours.ts';
import type { ConsoleState } from './data/read-state.ts';
import { callSandbox } from './data/sandbox-controls.ts';
import type { SharedRead } from './data/shared-read.ts';
import { remedyRoutes } from './remedy-routes.ts';
import { allowedCall } from './security/api-routes.ts';

/** What one receive gives: further ones would hide the messages for seconds. */
const LETTERS_SHOWN = 10;

const eventBody = z.strictObject({
  detailType: z.enum(incomingDetailTypes),
  detail: z.looseObject({}),
});

/** What all pages of a console share. */
export interface ConsoleReads {
  readonly state: SharedRead<ConsoleState>;
  readonly flow: SharedRead<Flow>;
  readonly hours: SharedRead<Hours>;
  readonly bus: BusStream;
}

/** The data of the page and the work of its buttons. Who may call them was checked before. */
export function dataRoutes(options: ConsoleOptions, { state, flow, hours, bus }: ConsoleReads): Hono {
  const { api, target, aws, sandboxUrl, canWrite, program } = options;
  const app = new Hono();
  app.get('/state', async (c) => c.json(await state.get()));

  app.get('/flow', async (c) => c.json(await flow.get()));

  app.get('/hours', async (c) => c.json(await hours.get()));

  app.get('/find', async (c) => {
    const { word = '', store, live } = c.req.query();
    // Reading the product at the marketplace is recorded in its listing.
    if (live === 'true' && !canWrite) throw readOnlyError();
    return c.json(await find(api, word, { store: store || undefined, live: live === 'true' }));
  });

  app.get('/orders/:store/:order', async (c) => {
    const { store, order } = c.req.param();
    return c.json({
      order: await findOrder(
        api,
        store,
        c.req.query('name') === 'invoiceNumber' ? { invoiceNumber: order } : { orderId: order },
      ),
    });
  });

  app.get('/drift/:store', async (c) => {
    const query = parseBody(driftPageQuery, c.req.query());
    return c.json(await readDriftPage(options, c.req.param('store'), query));
  });

  app.get('/dead-letters/:queue', async (c) => {
    const queue = await findQueue({ aws, target }, c.req.param('queue'));
    const letters = await readDeadLetters({ aws }, queue, LETTERS_SHOWN);
    return c.json({ ...queue, letters, command: commandOf(target, `dlq redrive ${queue.topic}`, program) });
  });
  app.get('/events', (c) => c.json(bus.state()));
  app.post('/events/listen', async (c) => {
    await bus.listen();
    return c.json(bus.state());
  });
  app.post('/events', async (c) => {
    const { detailType, detail } = parseBody(eventBody, await c.req.json());
    return c.json({ eventId: await putEvent({ aws, target }, detailType, checkDetail(detailType, detail)) });
  });

  app.all('/sandbox/*', async (c) => {
    if (sandboxUrl === undefined) throw usageError('there is no sandbox marketplace');
    const { method } = c.req;
    const path = c.req.path.slice('/sandbox'.length);
    const body = method === 'DELETE' ? {} : { body: await c.req.json() };
    return c.json(await callSandbox(sandboxUrl, { method, path, ...body }));
  });

  app.route('/', remedyRoutes(options, state));

  app.all('/api/*', async (c) => {
    const answer = await passOn(options, c);
    if (c.req.method !== 'GET') state.forget();
    return answer;
  });
  return app;
}

/** Passes a call on to the operations API, signed. */
async function passOn({ api }: ConsoleOptions, c: Context): Promise<Response> {
  const { pathname } = new URL(c.req.url);
  const path = allowedCall(c.req.method, pathname.slice('/api'.length));
  if (path === undefined) throw usageError(`the console does not pass on ${c.req.method} ${pathname}`);
  const call: ApiCall = {
    query: c.req.query(),
    ...(c.req.method !== 'GET' && { body: await c.req.json() }),
  };
  const text = await api.text(c.req.method, path, call);
  if (path.at(-1) !== 'rejects') return c.body(text, 200, { 'content-type': 'application/json' });
  return c.body(text, 200, {
    'content-type': 'application/x-ndjson; charset=utf-8',
    'content-disposition': 'attachment; filename="rejects.ndjson"',
  });
}
