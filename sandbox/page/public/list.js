import { h, showRows, tableCell } from './dom.js';

/**
 * A live list with filters. `columns`: [heading, cellOf(row)]; `filters`: {name, label, options(rows, state),
 * matches(row, value)}. `query` and `setQuery` keep the filters in the URL.
 */
export function listSection({ view, rowsOf, keyOf, columns, filters, total, empty, query, setQuery }) {
  const name = view.toLowerCase();
  const search = h('input', {
    type: 'search',
    'aria-label': `Search ${name}`,
    placeholder: 'Search',
    value: query.get('q') ?? '',
  });
  const selects = filters.map((filter) => ({
    filter,
    select: h('select', { 'aria-label': `Filter by ${filter.label.toLowerCase()}` }),
  }));
  const count = h('span', { class: 'count', role: 'status' });
  const body = h('tbody');
  const nothing = h('p', { class: 'empty' }, empty);
  const headings = columns.map(([heading]) => h('th', { scope: 'col' }, heading));
  const list = h(
    'table',
    { class: 'list broad', 'aria-label': view },
    h('thead', null, h('tr', null, headings)),
    body,
  );
  let latest;

  const update = (state) => {
    latest = state;
    const rows = rowsOf(state);
    for (const { filter, select } of selects)
      offer(select, filter, rows, state, query.get(filter.name) ?? '');
    const wanted = rows.filter((row) => passes(row, search.value, selects));
    showRows(
      body,
      wanted.map((row) => ({
        key: String(keyOf(row)),
        json: JSON.stringify(row),
        build: () => tableRow(columns, row),
      })),
    );
    const all = total?.(state) ?? rows.length;
    count.textContent = wanted.length === all ? `${all}` : `${wanted.length} of ${all}`;
    nothing.hidden = wanted.length > 0;
    list.hidden = wanted.length === 0;
    nothing.textContent = rows.length === 0 ? empty : 'Nothing matches the filters.';
  };
  const changed = () => {
    const values = [['q', search.value], ...selects.map(({ filter, select }) => [filter.name, select.value])];
    setQuery(new URLSearchParams(values.filter(([, value]) => value !== '')));
    update(latest);
  };
  const bar = h('form', {
    class: 'filters',
    role: 'search',
    onsubmit: (event) => event.preventDefault(),
    oninput: changed,
  });
  bar.append(search, ...selects.map(({ select }) => select), count);
  return { element: h('section', { 'aria-label': view }, bar, list, nothing), update };
}

function tableRow(columns, row) {
  const cells = columns.map(([heading, cellOf]) => tableCell(heading, cellOf(row)));
  return h('tr', null, cells);
}

function passes(row, text, selects) {
  const values = JSON.stringify(Object.values(row)).toLowerCase();
  if (!values.includes(text.trim().toLowerCase())) return false;
  return selects.every(({ filter, select }) => select.value === '' || filter.matches(row, select.value));
}

/** Sets the options of a filter. The chosen one stays even if no row has it anymore. */
function offer(select, filter, rows, state, initial) {
  const chosen = select.options.length === 0 ? initial : select.value;
  const values = [...new Set([...filter.options(rows, state), chosen])].filter((value) => value !== '');
  const wanted = ['', ...values].join('\n');
  if (select.dataset.offered === wanted) return;
  select.dataset.offered = wanted;
  select.replaceChildren(
    h('option', { value: '' }, `${filter.label}: any`),
    ...values.map((value) => h('option', { value }, value)),
  );
  select.value = chosen;
}
