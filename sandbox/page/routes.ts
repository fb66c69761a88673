import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import type { ControlEnv, ControlTarget } from '../controls/control.ts';
import { batchDetail, orderDetail, productDetail, requestDetail, storeDetail } from './details.ts';
import { pageState } from './state.ts';

const FILES = join(import.meta.dirname, 'public');

/** Allows only the page's own scripts, styles and requests: the requests that it shows can contain anything. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The page, its files and its data. An unknown or removed entry is null. */
export function pageRoutes({ world, sandboxUrl }: ControlTarget): Hono<ControlEnv> {
  const app = new Hono<ControlEnv>();
  const secured = new Hono<ControlEnv>();
  secured.use(async (c, next) => {
    c.header('content-security-policy', CONTENT_SECURITY_POLICY);
    c.header('x-content-type-options', 'nosniff');
    c.header('cache-control', 'no-store');
    await next();
  });
  secured.get('/state', (c) => c.json(pageState(world, sandboxUrl())));
  secured.get('/requests/:key', (c) => c.json(requestDetail(world, c.req.param('key')) ?? null));
  secured.get('/batches/:key', (c) => c.json(batchDetail(world, c.req.param('key')) ?? null));
  secured.get('/orders/:key', (c) => c.json(orderDetail(world, c.req.param('key')) ?? null));
  secured.get('/stores/:key', (c) => c.json(storeDetail(world, c.req.param('key')) ?? null));
  secured.get('/products/:key', (c) => c.json(productDetail(world, c.req.param('key')) ?? null));
  secured.get('/index.html', serveStatic({ path: join(FILES, 'index.html') }));
  secured.get(
    '/*',
    serveStatic({ root: FILES, rewriteRequestPath: (path) => path.replace('/sandbox/page', '') }),
  );
  app.get('/', (c) => secured.request('/index.html', undefined, c.env));
  app.route('/page', secured);
  return app;
}
