import { h } from './dom.js';

const LINE_END = /(\r\n|\r|\n)/;
const SYMBOLS = { '\r\n': 'CR LF', '\r': 'CR', '\n': 'LF' };

/** The reason of a refused signature, and both base strings with their differences marked. */
export function explanationSection({ sentence, expected, signed }) {
  return h(
    'section',
    { class: 'explanation', 'aria-label': 'Why it was refused' },
    h('p', { class: 'callout' }, sentence),
    h('h3', null, 'Base string that the server expects'),
    baseString('Expected base string', expected),
    h('h3', null, 'Base string that the client signed'),
    signed === null
      ? h(
          'p',
          { class: 'hint' },
          'Unknown: a signature does not show what was signed. Print yours and compare.',
        )
      : baseString('Signed base string', signed),
    signed !== null &&
      !signed.some((piece) => piece.marked) &&
      h('p', { class: 'hint' }, 'The base strings are the same.'),
  );
}

function baseString(label, pieces) {
  const content = pieces.map(({ text, marked }) => h(marked ? 'mark' : 'span', null, withLineEnds(text)));
  return h('pre', { tabindex: 0, 'aria-label': label }, content);
}

/** Symbols show the line ends. They are not part of the copied text. */
function withLineEnds(text) {
  return text
    .split(LINE_END)
    .map((part) =>
      part in SYMBOLS ? [h('span', { class: 'eol', 'data-symbol': SYMBOLS[part] }), '\n'] : part,
    );
}
