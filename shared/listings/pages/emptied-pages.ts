import type { Listing } from '../model.ts';
import type { WaitingPage, WaitingPageTable } from '../waiting-pages.ts';

/** At most this many pages are kept in memory. */
const MOST_KNOWN = 1_000;

/**
 * Deletes a page once this process has read it and has taken out all of its listings. A listing never returns to a page that it
 * has left, so such a page stays empty.
 */
export class EmptiedPages {
  readonly #pages: Pick<WaitingPageTable, 'delete'>;
  /** For each page, the targets that may still be in it: this process has not taken them out, and not found them missing. */
  readonly #open = new Map<string, Set<string>>();

  constructor(pages: Pick<WaitingPageTable, 'delete'>) {
    this.#pages = pages;
  }

  /** The targets that may still be in the page. */
  openOf(page: WaitingPage, targets: readonly string[]): readonly string[] {
    const key = keyOf(page.storeClientId, page.page);
    const open = this.#open.get(key);
    if (open !== undefined) return targets.filter((target) => open.has(target));
    if (this.#open.size >= MOST_KNOWN) this.#open.clear();
    this.#open.set(key, new Set(page.targets));
    return targets;
  }

  /** Notes which of the targets in `among` are still in a page. No further listing may come into the page. */
  keepOnly(
    { storeClientId, page }: WaitingPage,
    present: readonly Listing[],
    among: readonly string[],
  ): void {
    const open = this.#open.get(keyOf(storeClientId, page));
    const kept = new Set(present.map(({ target }) => target));
    for (const target of among) if (!kept.has(target)) open?.delete(target);
  }

  /** Notes that a listing has left the page. */
  async leave(storeClientId: string, page: string, target: string): Promise<void> {
    const key = keyOf(storeClientId, page);
    const open = this.#open.get(key);
    open?.delete(target);
    // Keep the page in memory: a read that began before its deletion may still return it.
    if (open?.size === 0) await this.#pages.delete(storeClientId, page);
  }
}

function keyOf(storeClientId: string, page: string): string {
  return JSON.stringify([storeClientId, page]);
}
