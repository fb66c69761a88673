import type { WaitingPage, WaitingPageTable } from '../waiting-pages.ts';

/** Pages that are remembered at most. */
const MOST_KNOWN = 1_000;

/**
 * What one process knows of the pages that it has read: which of their listings it has moved out itself. A listing that was
 * in a page and has left it never comes back into it. So a page whose listings have all left can be deleted.
 */
export class EmptiedPages {
  readonly #pages: Pick<WaitingPageTable, 'delete'>;
  /** The targets of each page that this process has not moved out. */
  readonly #open = new Map<string, Set<string>>();

  constructor(pages: Pick<WaitingPageTable, 'delete'>) {
    this.#pages = pages;
  }

  /** Those of the targets that may be in the page. */
  openOf(page: WaitingPage, targets: readonly string[]): readonly string[] {
    const key = keyOf(page.storeClientId, page.page);
    const open = this.#open.get(key);
    if (open !== undefined) return targets.filter((target) => open.has(target));
    if (this.#open.size >= MOST_KNOWN) this.#open.clear();
    this.#open.set(key, new Set(page.targets));
    return targets;
  }

  /** A listing that was in the page has left it. */
  async leave(storeClientId: string, page: string, target: string): Promise<void> {
    const key = keyOf(storeClientId, page);
    const open = this.#open.get(key);
    open?.delete(target);
    // The page stays known: a read that began before its deletion may still bring it.
    if (open?.size === 0) await this.#pages.delete(storeClientId, page);
  }
}

function keyOf(storeClientId: string, page: string): string {
  return JSON.stringify([storeClientId, page]);
}
