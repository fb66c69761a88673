import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { createApiClient } from '../../../cli/clients/api-client.ts';
import { createAwsClients } from '../../../cli/clients/aws-clients.ts';
import { type RunningConsole, startConsole } from '../../../cli/console/start-console.ts';
import type { Target } from '../../../cli/target/target.ts';
import { startBrowser } from '../../browser/support/browser.ts';
import { type ConnectorRun, startConnector } from '../../run/connector-run.ts';
import type { SandboxControls } from '../../run/sandbox-controls.ts';

/** How long the page may take to show what has happened in the stack: some polls, on a busy machine. */
const WITHIN_MS = 20_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const WIDTHS = [1280, 390] as const;
export type ColorScheme = 'light' | 'dark';

export interface ConsolePage {
  readonly run: ConnectorRun;
  readonly controls: SandboxControls;
  /** Opens a screen in a window of its own. */
  open(screen: string, options?: { width?: number; colorScheme?: ColorScheme }): Promise<Page>;
  /** Console errors that a test expects. */
  forgetProblems(): void;
}

/** A console of a local run, opened in a browser. */
export interface OpenConsole extends AsyncDisposable {
  readonly run: ConnectorRun;
  open(screen: string, options?: { width?: number; colorScheme?: ColorScheme }): Promise<Page>;
  /** Closes the windows that are open. */
  closeWindows(): Promise<void>;
  pages(): Page[];
  /** Errors in the page's console, refusals of its policy among them. */
  readonly problems: string[];
}

/** The stack of a run, as `connector --local` finds it. */
export function targetOf({ local }: ConnectorRun): Target {
  const { region, adminCredentials: credentials, endpoint, outputs } = local;
  return { name: 'local', isLocal: true, region, credentials, endpoint, outputs };
}

/** Starts a local run, a console of it that may write, and a browser with the console's cookie. */
export async function openConsole(): Promise<OpenConsole> {
  await using cleanup = new AsyncDisposableStack();
  const run = cleanup.use(await startConnector());
  const target = targetOf(run);
  const aws = createAwsClients(target);
  cleanup.defer(() => aws[Symbol.dispose]());
  const console: RunningConsole = cleanup.use(
    await startConsole({
      target,
      aws,
      api: createApiClient(target),
      canWrite: true,
      sandboxUrl: run.marketplace.baseUrl,
    }),
  );
  const browser: Browser = await startBrowser();
  cleanup.defer(() => browser.close());
  const cookies = await cookiesOf(browser, console);
  const problems: string[] = [];
  let contexts: BrowserContext[] = [];
  const owned = cleanup.move();
  return {
    run,
    problems,
    pages: () => contexts.flatMap((context) => context.pages()),
    async open(screen, { width = 1280, colorScheme = 'light' } = {}) {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
      contexts.push(context);
      await context.addCookies(cookies);
      context.setDefaultTimeout(WITHIN_MS);
      const page = await context.newPage();
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('console', (message) => {
        if (message.type() !== 'log' && message.type() !== 'info') problems.push(message.text());
      });
      await page.goto(`${console.origin}/#/${screen}`);
      await page.getByText('Live', { exact: true }).waitFor();
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

/**
 * A console for the tests of one file. After each test no page may have scrolled sideways, or have had an error in its
 * console.
 */
export function useConsole(): ConsolePage {
  let console: OpenConsole;
  beforeAll(async () => {
    console = await openConsole();
  });
  afterEach(async () => {
    const widths = await Promise.all(console.pages().map(sidewaysScroll));
    await console.closeWindows();
    expect(console.problems.splice(0)).toEqual([]);
    expect(widths.filter((width) => width > 0)).toEqual([]);
  });
  afterAll(() => console?.[Symbol.asyncDispose]());
  return {
    get run() {
      return console.run;
    },
    get controls() {
      const { controls } = console.run;
      if (controls === undefined) throw new Error('the marketplace is no sandbox');
      return controls;
    },
    open: (screen, options) => console.open(screen, options),
    forgetProblems: () => {
      console.problems.splice(0);
    },
  };
}

/** Waits until these texts are visible there. */
export async function shows(place: Page | Locator, ...texts: (string | RegExp)[]): Promise<void> {
  for (const text of texts) await place.getByText(text).first().waitFor();
}

/** The violations that axe-core finds, by rule and element. */
export async function violationsIn(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate<string[]>(
    'axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => [id, html].join(": "))))',
  );
}

function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
