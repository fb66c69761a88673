import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import { refusalOf } from '../../loopback/refusal.ts';
import { errorAnswer, readOnlyError } from './answers.ts';
import { SECURITY_HEADERS } from './security/headers.ts';
import type { Session } from './security/session.ts';

/** Beside the bundle in the package, and beside this module in the repository. */
const FILES = join(import.meta.dirname, 'public');
/** What the page for a browser without the cookie needs: nothing in it is of the stack. */
const FILES_FOR_ALL = ['/frame.css', '/content.css', '/icon.svg'];
const LARGEST_BODY = 1024 * 1024;

export interface AppOptions {
  readonly session: Session;
  readonly canWrite: boolean;
  /** Host and port under which the console is called. */
  address(): string;
  readonly routes: Hono;
}

/**
 * The console's HTTP application. Every request must name the console's own host and come from its own page; all but the
 * exchange of the token must bring the cookie; what changes something needs `canWrite`.
 */
export function createApp({ session, canWrite, address, routes }: AppOptions): Hono {
  const app = new Hono();
  const page = readFileSync(join(FILES, 'not-opened.html'), 'utf8');
  const notOpened = (c: Context) => c.html(page, 401);
  // Cookies know no port: consoles at the same time must not replace each other's.
  const cookieName = () => `connector-console-${address().split(':').at(-1)}`;
  const hasCookie = (c: Context) => session.isCookie(getCookie(c, cookieName()) ?? '');

  app.onError((error, c) => {
    const { status, body } = errorAnswer(error);
    return c.json(body, status);
  });
  app.use(async (c, next) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) c.header(name, value);
    const rules = { pageAt: address(), onlyJson: true };
    const refusal = refusalOf({ method: c.req.method, headers: c.req.header() }, rules);
    if (refusal === undefined) return next();
    const { status, ...error } = refusal;
    return c.json({ error }, status);
  });
  app.get('/open', (c) => {
    const cookie = session.exchange(c.req.query('token') ?? '');
    if (cookie === undefined && !hasCookie(c)) return notOpened(c);
    if (cookie !== undefined)
      setCookie(c, cookieName(), cookie, { httpOnly: true, sameSite: 'Strict', path: '/' });
    return c.redirect('/', 303);
  });
  app.use(async (c, next) => (hasCookie(c) || FILES_FOR_ALL.includes(c.req.path) ? next() : notOpened(c)));
  const tooLarge = { code: 'BODY_TOO_LARGE', message: `at most ${LARGEST_BODY} bytes` };
  app.use(bodyLimit({ maxSize: LARGEST_BODY, onError: (c) => c.json({ error: tooLarge }, 413) }));
  app.use(async (c, next) => {
    if (c.req.method !== 'GET' && !canWrite) throw readOnlyError();
    return next();
  });
  app.route('/', routes);
  app.get('/', serveStatic({ path: join(FILES, 'index.html') }));
  app.get('/*', serveStatic({ root: FILES }));
  return app;
}
