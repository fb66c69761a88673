import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { argumentsOrExit, readArguments } from '../../local/run/command-arguments.ts';
import { synthesize } from '../../local/run/synthesize.ts';
import { fillScreens } from './fill-screens.ts';
import { COLOR_SCHEMES, openConsole, WIDTHS } from './open-console.ts';

const USAGE = `Takes the pictures of docs/console/ on a local run of its own: each screen, and the first ones on a phone in the dark.

  --all FOLDER   instead, each screen in light and dark, as wide as a desk's and a phone's, whole, into FOLDER`;

const { values } = argumentsOrExit(USAGE, (args) => readArguments(args, { all: { type: 'string' } }));

const folder = values.all ?? join(import.meta.dirname, '..', '..', 'docs', 'console');
const ON_A_PHONE = ['needs-you', 'flow'];

await synthesize();
await mkdir(folder, { recursive: true });
await using console = await openConsole();
const screens = await fillScreens(console.run);
if (values.all === undefined) await forTheDocs();
else await allViews();

async function forTheDocs(): Promise<void> {
  for (const [name, screen] of Object.entries(screens)) {
    const page = await opened(screen);
    if (name === 'events') await showAnEvent(page);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await console.closeWindows();
  }
  for (const name of ON_A_PHONE) {
    const page = await opened(screens[name] ?? '', { width: 390, colorScheme: 'dark' });
    await page.screenshot({ path: join(folder, `${name}-phone.png`) });
    await console.closeWindows();
  }
}

async function allViews(): Promise<void> {
  for (const [name, screen] of Object.entries(screens)) {
    for (const width of WIDTHS) {
      for (const colorScheme of COLOR_SCHEMES) {
        const page = await opened(screen, { width, colorScheme });
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
        await console.closeWindows();
      }
    }
  }
}

async function opened(...view: Parameters<typeof console.open>): Promise<Page> {
  const page = await console.open(...view);
  await page.locator('main[data-shown]:not([aria-busy])').waitFor();
  return page;
}

async function showAnEvent(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Listen' }).click();
  await page.getByText(/^Listening: /).waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('listitem').filter({ hasText: 'stock.changed' }).first().waitFor();
}
