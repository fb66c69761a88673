import { field, select } from '../actions.js';
import { get } from '../api.js';
import { facts, h, hrefOf, link, showItems } from '../dom.js';
import { shareBar } from '../drawings.js';
import { growingList } from '../growing-list.js';
import { age } from '../times.js';
import { statePill } from '../words.js';

/** Files whose key names no store. */
const NO_STORE = '-';
/** For each file all its commands are read. */
const FILES = { step: 10, most: 50 };

/** The files of the import bucket with the progress of their rows, by store. */
export const imports = {
  title: 'Imports',
  mount(place, { query }, { stores }) {
    const names = stores.map(({ storeClientId }) => storeClientId);
    const chosen = query.get('storeClientId') ?? names[0] ?? NO_STORE;
    const store = select('storeClientId', [...names, [NO_STORE, 'no store']], chosen);
    const onchange = () => {
      location.hash = hrefOf('imports', undefined, { storeClientId: store.value });
    };
    const form = h(
      'form',
      { class: 'fields', role: 'search', onchange, onsubmit: (event) => event.preventDefault() },
      field('Store', store),
    );
    const nothing = h(
      'p',
      { class: 'empty' },
      chosen === NO_STORE ? 'No record of a file that names no store.' : `No record of a file of ${chosen}.`,
    );
    const list = h('ul', { class: 'cards', 'aria-label': 'Files' });
    const more = growingList(FILES);
    place.append(form, nothing, list, more.element);
    return async () => {
      const answer = await get('/api/imports', { storeClientId: chosen, limit: more.limit });
      const { imports: files, cursor } = answer;
      nothing.hidden = files.length > 0;
      showItems(list, files, { keyOf: ({ importId }) => importId, build: fileCard });
      more.show(`The newest ${files.length} are shown.`, cursor !== undefined);
    };
  },
};

function fileCard({ key, putAt, state, rows, fault, full, report, warnings = [], batches, importId }) {
  const rejected = Object.values(rows?.rejected ?? {}).reduce((sum, count) => sum + count, 0);
  const codes = Object.entries(rows?.rejected ?? {}).map(([code, count]) => `${code} ${count}`);
  return h(
    'li',
    { class: 'card' },
    h('h2', null, key.split('/').at(-1), ' ', statePill(state)),
    h('p', { class: 'hint' }, `${key} · put `, age(putAt), ' ago'),
    rows &&
      shareBar([
        ['accepted', rows.accepted, 'ok'],
        ['superseded', rows.superseded ?? 0, 'ok'],
        ['rejected', rejected, 'bad'],
        ['open', rows.open, 'info'],
      ]),
    facts([
      ['Fault', fault && `${fault.code}: ${fault.message}`],
      ['Columns', fault?.details?.columns?.join(', ')],
      ['Read', rows?.read],
      ['Sent', rows?.sent],
      [
        'Rejected',
        codes.length > 0 && [
          `${codes.join(', ')} · `,
          h(
            'a',
            { href: hrefOf('rejections', undefined, { key: 'importId', value: importId }) },
            'the rejections',
          ),
        ],
      ],
      [
        'Warnings',
        warnings.map(({ code, message, rows: count }) => `${code} ${count}: ${message}`).join(' · '),
      ],
      ['Report', report],
      ['Held', full?.hold?.reason],
      ['Not named', full && `${full.missing} of ${full.known} listings, ${full.zeroed} set to 0`],
      ['Import', importId],
      [
        'Batches',
        batches.length > 0 &&
          batches.map(({ batchId }) => [link('batches', batchId, `${batchId.slice(0, 8)}…`), ' ']),
      ],
    ]),
  );
}
