import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/index.ts';
import { type Answered, call, control } from '../../unit/sandbox/partner.ts';
import { startBrowser } from './browser.ts';

type CallOptions = NonNullable<Parameters<typeof call>[2]>;

/** How long the page may take to show what has happened at the sandbox: some polls, on a busy machine. */
const WITHIN_MS = 10_000;

export const WIDTHS = [1280, 390] as const;

/**
 * A sandbox and a browser for the tests of one file; the sandbox is back at its fixtures before each test. After each
 * test no page may have scrolled sideways, or have had an error in its console.
 */
export function useSandboxPage(options: SandboxOptions = {}) {
  let sandbox: Sandbox;
  let browser: Browser;
  let contexts: BrowserContext[] = [];
  let problems: string[] = [];
  beforeAll(async () => {
    sandbox = await startSandbox({
      applyDelayMs: 1,
      webhookRetryDelayMs: 1,
      webhookDisturbanceDelayMs: 50,
      ...options,
    });
    browser = await startBrowser();
  });
  beforeEach(async () => {
    problems = [];
    await control(sandbox.url, 'POST /reset');
  });
  afterEach(async () => {
    const pages = contexts.flatMap((context) => context.pages());
    const widths = await Promise.all(pages.map(sidewaysScroll));
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    expect(problems).toEqual([]);
    expect(widths.filter((width) => width > 0)).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await sandbox?.close();
  });

  return {
    get url(): string {
      return sandbox.url;
    },
    idle: () => sandbox.idle(),
    call: (line: string, callOptions?: CallOptions): Promise<Answered> =>
      call(sandbox.url, line, callOptions),
    control: (line: string, body?: unknown): Promise<Answered> => control(sandbox.url, line, body),

    /** Opens the page at a view, in a window of this width. */
    async open(width: number, view: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
      contexts.push(context);
      context.setDefaultTimeout(WITHIN_MS);
      const page = await context.newPage();
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('console', (message) => {
        if (message.type() !== 'log' && message.type() !== 'info') problems.push(message.text());
      });
      await page.goto(`${sandbox.url}/sandbox#/${view}`);
      await page.getByText('Live', { exact: true }).waitFor();
      return page;
    },
    /** Console errors that a test expects. */
    forgetProblems(): void {
      problems = [];
    },
  };
}

/** The rows of the list of a view. */
export function rowsOf(page: Page): Locator {
  return page.locator('main tbody tr');
}

export function detailOf(page: Page): Locator {
  return page.getByRole('complementary', { name: 'Detail' });
}

/** Waits until this text is visible there. */
export async function shows(place: Page | Locator, ...texts: (string | RegExp)[]): Promise<void> {
  for (const text of texts) await place.getByText(text).first().waitFor();
}

function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
