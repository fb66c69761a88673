import { work } from './actions.js';
import { csvOf } from './csv.js';
import { counted, h } from './dom.js';

/** Rows that are saved at most. */
const MOST = 10_000;

/**
 * Buttons that save a list as a file. `pages()` yields its rows page by page, to the end; `columns` are the names of the CSV with
 * what they have of a row.
 */
export function exportButtons({ name, columns, pages }) {
  const button = (format, type, textOf) => {
    const onclick = () =>
      work(async () => {
        const { rows, isCut } = await readAll(pages);
        save(`${name}.${format}`, type, textOf(rows));
        const saved = `Saved ${counted(rows.length, 'row')} as ${name}.${format}`;
        return isCut ? `${saved}: the newest ones. The command line saves all.` : `${saved}.`;
      });
    return h('button', { type: 'button', class: 'small', onclick }, `Save as ${format.toUpperCase()}`);
  };
  return h(
    'div',
    { class: 'actions', role: 'group', 'aria-label': 'Export' },
    button('csv', 'text/csv', (rows) => csvOf(columns, rows)),
    button('ndjson', 'application/x-ndjson', (rows) =>
      rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    ),
  );
}

async function readAll(pages) {
  const rows = [];
  for await (const page of pages()) {
    rows.push(...page);
    if (rows.length > MOST) return { rows: rows.slice(0, MOST), isCut: true };
  }
  return { rows, isCut: false };
}

function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h('a', { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
