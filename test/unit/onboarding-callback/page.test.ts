import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isOutcome, outcomePage, redirectToPage } from '../../../functions/onboarding-callback/page.ts';

const outcomes = [
  ['connected', 200],
  ['expired', 410],
  ['refused', 403],
  ['used', 409],
  ['failed', 503],
] as const;

describe.each(outcomes)('the page of an onboarding that is %s', (outcome, status) => {
  const page = outcomePage(outcome);

  test('has a status, a language, a title and one heading', () => {
    expect(page.status).toBe(status);
    expect(page.text).toMatch(/^<!doctype html>\n<html lang="en">/);
    const [, title] = page.text?.match(/<title>(.+)<\/title>/) ?? [];
    expect(page.text?.match(/<h1>(.+)<\/h1>/g)).toEqual([`<h1>${title}</h1>`]);
  });

  test('runs no script, loads nothing, and allows only its own style', () => {
    const [, style = ''] = page.text?.match(/<style>(.+)<\/style>/) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page.headers?.['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(page.text).not.toMatch(/<script|src=|href=|style=/);
  });

  test('is reached by a redirect whose URL holds only its outcome', () => {
    expect(redirectToPage('/onboarding/callback', outcome)).toMatchObject({
      status: 303,
      headers: {
        location: `/onboarding/callback?outcome=${outcome}`,
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      },
    });
  });
});

test.each([undefined, 'toString', 'nonsense'])('%s is refused as an outcome of an onboarding', (value) => {
  expect(isOutcome(value)).toBe(false);
});
