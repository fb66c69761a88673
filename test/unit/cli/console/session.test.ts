import { expect, test } from 'vitest';
import { createSession } from '../../../../cli/console/security/session.ts';

test('a token is exchanged for the cookie once', () => {
  const session = createSession();
  const cookie = session.exchange(session.token);
  expect(cookie).toMatch(/^[\w-]{43}$/);
  expect(session.isCookie(cookie ?? '')).toBe(true);
  expect(session.exchange(session.token)).toBeUndefined();
});

test('a wrong token is refused, and the right one still works afterwards', () => {
  const session = createSession();
  for (const wrong of ['', 'x', session.token.slice(1), `${session.token}x`])
    expect(session.exchange(wrong)).toBeUndefined();
  expect(session.exchange(session.token)).toBeDefined();
});

test('the token is not the cookie, and the cookie of another session is refused', () => {
  const [session, other] = [createSession(), createSession()];
  expect(session.isCookie(session.token)).toBe(false);
  expect(session.isCookie(other.exchange(other.token) ?? '')).toBe(false);
  expect(session.isCookie('')).toBe(false);
});
