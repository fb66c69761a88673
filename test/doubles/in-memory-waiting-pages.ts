import type { WaitingPage, WaitingPageTable } from '../../shared/listings/waiting-pages.ts';
import { compareText, pageOf } from './page-of.ts';
import { directly, type Step } from './step.ts';

/** The Waiting table in memory; tables over the same `pages` are one table. */
export function inMemoryWaitingPages(
  step: Step = directly,
  pages: Map<string, WaitingPage> = new Map(),
): WaitingPageTable {
  const inOrder = () => [...pages.values()].sort((a, b) => compareText(keyOf(a), keyOf(b)));

  return {
    putAll: async (put) => {
      for (const page of put) {
        await step(`waiting.put ${page.storeClientId} ${page.page}`, () => pages.set(keyOf(page), page));
      }
    },

    query: (storeClientId, { from, to, limit }) =>
      step(`waiting.query ${storeClientId} ${from}`, () => {
        const found = inOrder().filter(
          (one) => one.storeClientId === storeClientId && one.page >= from && one.page <= to,
        );
        return { pages: found.slice(0, limit), isMore: found.length > limit };
      }),

    delete: (storeClientId, page) =>
      step(`waiting.delete ${storeClientId} ${page}`, () => {
        pages.delete(keyOf({ storeClientId, page }));
      }),

    list: (request) =>
      step('waiting.list', () => {
        const { page, ...rest } = pageOf(inOrder(), keyOf, request);
        return { pages: page, ...rest };
      }),
  };
}

function keyOf({ storeClientId, page }: Pick<WaitingPage, 'storeClientId' | 'page'>): string {
  return `${storeClientId} ${page}`;
}
