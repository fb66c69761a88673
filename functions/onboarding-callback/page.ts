import { createHash } from 'node:crypto';
import type { HttpResponse } from '../../shared/lambda/http-handler.ts';
import type { OnboardingOutcome } from '../../shared/stores/use-cases/onboard-store.ts';

const PAGES = {
  connected: {
    status: 200,
    title: 'Your store is connected',
    text: 'Everything is set up. You can close this page.',
  },
  expired: {
    status: 410,
    title: 'This link has expired',
    text: 'A link to connect a store is good for 3 minutes. Please ask for a new one.',
  },
  refused: {
    status: 403,
    title: 'Your store was not connected',
    text: 'The marketplace did not confirm this connection. Please ask for a new link.',
  },
  used: {
    status: 409,
    title: 'This link was used already',
    text: 'A link connects a store once. If your store is not connected, please ask for a new link.',
  },
  failed: {
    status: 503,
    title: 'Your store is not connected yet',
    text: 'The connection could not be checked right now. Please ask for a new link and try again.',
  },
} as const satisfies Record<OnboardingOutcome, object>;

const STYLE =
  'body{font:1.125rem/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1rem;color:#1a1a1a;background:#fff}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The page loads and runs nothing, can't be framed or cached, and sends no referrer. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export function isOutcome(value: string | undefined): value is OnboardingOutcome {
  return value !== undefined && Object.hasOwn(PAGES, value);
}

/** The page that shows the seller the outcome. It quotes nothing of the request. */
export function outcomePage(outcome: OnboardingOutcome): HttpResponse {
  const { status, title, text } = PAGES[outcome];
  return {
    status,
    headers: { ...HEADERS, 'content-type': 'text/html; charset=utf-8' },
    text: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1><p>${text}</p></main></body>
</html>
`,
  };
}

/** Redirects from the URL with the token: browsers keep the final URL in their history. */
export function redirectToPage(path: string, outcome: OnboardingOutcome): HttpResponse {
  return { status: 303, headers: { ...HEADERS, location: `${path}?outcome=${outcome}` } };
}
