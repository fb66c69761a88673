import { PAGE_SIZE } from './api.js';
import { h, hrefOf } from './dom.js';

/**
 * A list that shows its first entries, and more with a button; after `most` of them, a link to those that follow. `limit` is how
 * many to ask for: a multiple of `step`.
 */
export function growingList({ step = 100, most = PAGE_SIZE } = {}) {
  let limit = step;
  const note = h('p', { class: 'hint' });
  const onclick = () => {
    limit = Math.min(most, limit + step);
    document.dispatchEvent(new Event('changed'));
  };
  const button = h('button', { type: 'button', onclick }, 'Show more');
  const next = h('a', { hidden: true }, 'Show those after these');
  const element = h('div', { class: 'actions', hidden: true }, note, button, next);
  return {
    element,
    get limit() {
      return limit;
    },
    /** `text`: what is shown; nothing without `hasMore`. `cursor`, with the screen's `route`, leads to what follows. */
    show(text, hasMore, { cursor, route } = {}) {
      element.hidden = !hasMore;
      button.hidden = limit === most;
      next.hidden = limit < most || cursor === undefined;
      if (!next.hidden)
        next.href = hrefOf(route.screen, undefined, { ...Object.fromEntries(route.query), cursor });
      if (note.textContent !== text) note.textContent = text;
    },
  };
}
