import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { takeNoArguments } from '../../local/run/command-arguments.ts';
import { synthesize } from '../../local/run/synthesize.ts';
import { fillScreens } from './fill-screens.ts';
import { openConsole } from './open-console.ts';

takeNoArguments(
  'Takes the pictures of docs/console/ on a local run of its own: each screen, and the first ones on a phone in the dark.',
);

const folder = join(import.meta.dirname, '..', '..', 'docs', 'console');
const ON_A_PHONE = ['needs-you', 'flow'];

await synthesize();
await mkdir(folder, { recursive: true });
await using console = await openConsole();
const screens = await fillScreens(console.run);
for (const [name, screen] of Object.entries(screens)) {
  const page = await console.open(screen);
  await page.locator('main[data-shown]:not([aria-busy])').waitFor();
  if (name === 'events') {
    await page.getByRole('button', { name: 'Listen' }).click();
    await page.getByText(/^Listening: /).waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('listitem').filter({ hasText: 'stock.changed' }).first().waitFor();
  }
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await console.closeWindows();
}
for (const name of ON_A_PHONE) {
  const page = await console.open(screens[name] ?? '', { width: 390, colorScheme: 'dark' });
  await page.locator('main[data-shown]:not([aria-busy])').waitFor();
  await page.screenshot({ path: join(folder, `${name}-phone.png`) });
  await console.closeWindows();
}
