import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './support/browser.ts';
import { detailOf, shows, useSandboxPage, WIDTHS } from './support/sandbox-page.ts';

const PATH = '/partner/stores/warehouses';

describe.skipIf(!hasBrowser)('the explanation of a refused signature on the sandbox page', () => {
  const sandbox = useSandboxPage();

  /** Sends a request whose base string is made by `sign` of the right lines. */
  async function send(
    sign: (lines: string[]) => string,
    headers: Record<string, string> = {},
  ): Promise<void> {
    const signed = {
      'x-partner-client-id': 'sandbox-partner',
      'x-store-client-id': 'store-1wh',
      'x-store-token': 'token-store-1wh',
      'x-timestamp': String(Date.now()),
      ...headers,
    };
    const lines = Object.entries(signed).map(([name, value]) => `${name}:${value}`);
    const base = sign(['GET', PATH, ...lines, createHash('sha256').digest('hex')]);
    const hex = createHmac('sha256', 'sandbox-partner-secret').update(base).digest('hex');
    const response = await fetch(`${sandbox.url}/api/v1${PATH}`, {
      headers: { ...signed, 'x-signature': `sha256=${hex}` },
    });
    expect(response.status).toBe(401);
  }

  describe.each(WIDTHS)('at a width of %i pixels', (width) => {
    test('names the mistake and marks the difference of both base strings', async () => {
      await send(([method, path, ...rest]) => [method, `/api/v1${path}`, ...rest].join('\n'));
      const page = await sandbox.open(width, 'requests/1');
      await shows(detailOf(page), 'The path was signed with the /api/v1 prefix.');
      expect(await page.getByLabel('Signed base string').locator('mark').allTextContents()).toEqual([
        'api/v1/',
      ]);
      expect(await page.getByLabel('Expected base string').locator('mark').count()).toBe(0);
      expect(await page.getByLabel('Expected base string').textContent()).toMatch(
        /^GET\n\/partner\/stores\/warehouses\n/,
      );
      expect(await page.content()).not.toContain('token-store-1wh');
    });

    test('makes line ends visible', async () => {
      await send((lines) => lines.join('\r\n'));
      const page = await sandbox.open(width, 'requests/1');
      await shows(detailOf(page), /^The lines were joined with CRLF/);
      const symbols = page.getByLabel('Signed base string').locator('mark .eol');
      expect(await symbols.count()).toBe(6);
      expect(await symbols.first().getAttribute('data-symbol')).toBe('CR LF');
    });

    test('says that a timestamp is in seconds', async () => {
      const seconds = String(Math.floor(Date.now() / 1000));
      await send((lines) => lines.join('\n'), { 'x-timestamp': seconds });
      const page = await sandbox.open(width, 'requests/1');
      await shows(detailOf(page), 'AUTH_003', 'x-timestamp is in seconds; it must be in milliseconds.');
      expect(await page.getByLabel('Signed base string').locator('mark').allTextContents()).toEqual([
        seconds,
      ]);
    });

    test('says of an unknown mistake that it is unknown, and shows what is expected', async () => {
      await send(() => 'something else');
      const page = await sandbox.open(width, 'requests/1');
      await shows(
        detailOf(page),
        /^No known mistake gives this signature/,
        /^Unknown: a signature does not show/,
      );
      expect(await page.getByLabel('Signed base string').count()).toBe(0);
      await page.getByLabel('Expected base string').waitFor();
    });
  });
});
