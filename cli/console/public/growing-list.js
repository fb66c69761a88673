import { h } from './dom.js';

/** What the lists of the operations API give at once. */
const MOST = 1000;

/** A list that shows its first entries, and more with a button. `limit` is how many to ask for: a multiple of `step`. */
export function growingList({ step = 100, most = MOST } = {}) {
  let limit = step;
  const note = h('p', { class: 'hint' });
  const onclick = () => {
    limit = Math.min(most, limit + step);
    document.dispatchEvent(new Event('changed'));
  };
  const button = h('button', { type: 'button', class: 'plain', onclick }, 'Show more');
  const element = h('div', { class: 'actions', hidden: true }, note, button);
  return {
    element,
    get limit() {
      return limit;
    },
    /** `text`: what is shown; nothing without `hasMore`. */
    show(text, hasMore) {
      element.hidden = !hasMore;
      button.hidden = limit === most;
      if (note.textContent !== text) note.textContent = text;
    },
  };
}
