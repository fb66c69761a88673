import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';
import type { SandboxControls } from '../../../local/run/sandbox-controls.ts';
import { type OpenConsole, openConsole, type View } from '../../../tools/screenshots/open-console.ts';

export interface ConsolePage {
  readonly run: ConnectorRun;
  readonly controls: SandboxControls;
  /** Opens a screen in a window of its own. */
  open(screen: string, view?: View): Promise<Page>;
  /** Opens another console of the same run, which may not write; once. */
  openReadOnly(): Promise<Page>;
  /** Console errors that a test expects. */
  forgetProblems(): void;
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
    open: (screen, view) => console.open(screen, view),
    openReadOnly: () => console.openReadOnly(),
    forgetProblems: () => {
      console.problems.splice(0);
    },
  };
}

/** Waits until these texts are visible there. */
export async function shows(place: Page | Locator, ...texts: (string | RegExp)[]): Promise<void> {
  for (const text of texts) await place.getByText(text).first().waitFor();
}

function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
