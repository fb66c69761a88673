import { h, showItems, tableHead } from './dom.js';

/**
 * The entries of a list as rows of a table, or what is said if there is none. `save`: the buttons that save the list, if it has any;
 * they are hidden with it.
 */
export function listTable(label, headings, { keyOf, build, save }) {
  const body = h('tbody');
  const table = h('table', { 'aria-label': label }, tableHead(headings), body);
  const nothing = h('p', { class: 'empty' });
  const shown = [save, table].filter(Boolean);
  return {
    elements: [...shown, nothing],
    show(entries, textOfNone) {
      showItems(body, entries, { keyOf, build });
      for (const element of shown) element.hidden = entries.length === 0;
      nothing.hidden = entries.length > 0;
      nothing.textContent = textOfNone;
    },
  };
}
