import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type FilledScreens, fillScreens } from '../../../tools/screenshots/fill-screens.ts';
import { COLOR_SCHEMES, violationsIn, WIDTHS } from '../../../tools/screenshots/open-console.ts';
import { hasBrowser } from '../../browser/support/browser.ts';
import { useConsole } from '../support/console-page.ts';

const views = WIDTHS.flatMap((width) => COLOR_SCHEMES.map((colorScheme) => ({ width, colorScheme })));

/** Waits until the screen has its data. */
async function isShown(page: Page, screen: string): Promise<void> {
  await page.locator(`main[data-shown="#/${screen}"]:not([aria-busy])`).waitFor();
}

describe.skipIf(!hasBrowser)('the screens of the console', () => {
  const console = useConsole();
  let screens: FilledScreens;
  beforeAll(async () => {
    screens = await fillScreens(console.run);
  }, 240_000);

  test.each(views)('have no accessibility violation: $width pixels, $colorScheme', async (view) => {
    const page = await console.open('needs-you', view);
    const found: Record<string, string[]> = {};
    for (const [name, screen] of Object.entries(screens)) {
      await page.evaluate(`location.hash = ${JSON.stringify(`#/${screen}`)}`);
      await isShown(page, screen);
      found[name] = await violationsIn(page);
    }
    expect(found).toEqual(Object.fromEntries(Object.keys(screens).map((name) => [name, []])));
  });

  test('are reached by the keyboard alone, and say which one is open', async () => {
    const page = await console.open('needs-you');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    const flow = page.getByRole('link', { name: 'Flow', exact: true });
    await flow.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Flow' }).waitFor();
    expect(await flow.getAttribute('aria-current')).toBe('page');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
  });
});
