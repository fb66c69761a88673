import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { RunningConsole } from '../../cli/console/start-console.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { startRunConsole } from '../../local/run/run-console.ts';
import { startBrowser } from '../../test/browser/support/browser.ts';
import { oftenVerified } from './often-verified.ts';

/** How long the page may take to show what has happened in the stack: some polls, on a busy machine. */
const WITHIN_MS = 45_000;

export const WIDTHS = [1280, 390] as const;
export const COLOR_SCHEMES = ['light', 'dark'] as const;

/** The window of a page. Default: 1280 pixels, light. */
export interface View {
  readonly width?: number;
  readonly colorScheme?: (typeof COLOR_SCHEMES)[number];
}

/** A console of a local run, opened in a browser. */
export interface OpenConsole extends AsyncDisposable {
  readonly run: ConnectorRun;
  open(screen: string, view?: View): Promise<Page>;
  /** Opens another console of the same run, which may not write; once. */
  openReadOnly(): Promise<Page>;
  /** Closes the windows that are open. */
  closeWindows(): Promise<void>;
  pages(): Page[];
  /** Errors in the page's console, refusals of its policy among them. */
  readonly problems: string[];
}

/** Starts a local run, a console of it that may write, and a browser with the console's cookie. */
export async function openConsole(): Promise<OpenConsole> {
  await using cleanup = new AsyncDisposableStack();
  const run = cleanup.use(await startQuickRun({ template: await oftenVerified() }));
  const console = cleanup.use(await startRunConsole(run));
  const readOnly = cleanup.use(await startRunConsole(run, { canWrite: false }));
  const browser: Browser = await startBrowser();
  cleanup.defer(() => browser.close());
  const cookies = await cookiesOf(browser, console);
  const problems: string[] = [];
  let contexts: BrowserContext[] = [];
  const newPage = async ({ width = 1280, colorScheme = 'light' }: View = {}) => {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
    contexts.push(context);
    context.setDefaultTimeout(WITHIN_MS);
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() !== 'log' && message.type() !== 'info') problems.push(message.text());
    });
    return page;
  };
  const owned = cleanup.move();
  return {
    run,
    problems,
    pages: () => contexts.flatMap((context) => context.pages()),
    async open(screen, view) {
      const page = await newPage(view);
      await page.context().addCookies(cookies);
      await page.goto(`${console.origin}/#/${screen}`);
      await page.locator('#live.ok').waitFor();
      return page;
    },
    async openReadOnly() {
      const page = await newPage();
      await page.goto(readOnly.url);
      await page.locator('#live.ok').waitFor();
      return page;
    },
    async closeWindows() {
      await Promise.all(contexts.map((context) => context.close()));
      contexts = [];
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function cookiesOf(browser: Browser, console: RunningConsole) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(console.url);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

/** The violations that axe-core finds, by rule and element. */
export async function violationsIn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate<string[]>(
    'axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => [id, html].join(": "))))',
  );
}
