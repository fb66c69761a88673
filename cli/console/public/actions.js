import { send } from './api.js';
import { h } from './dom.js';

const notice = document.getElementById('notice');

/** Says how something ended, below the screen. */
export function say(text, tone = 'ok') {
  notice.textContent = text;
  notice.className = tone;
}

/**
 * A button that changes something: `{label, path, body, method, question, done, canWrite}`. It asks the question first.
 * `done(answer)` returns what to say.
 */
export function actionButton({ label, path, body, method, question, done, canWrite, tone }) {
  const onclick = async (event) => {
    if (question !== undefined && !window.confirm(question)) return;
    const button = event.currentTarget;
    button.disabled = true;
    await work(async () => done(await send(path, body, method)));
    button.disabled = false;
  };
  return h('button', { type: 'button', class: tone, onclick, ...writing(canWrite) }, label);
}

/** Properties of a control that works with `--write` only. */
export function writing(canWrite) {
  return canWrite ? {} : { disabled: true, title: 'Read-only: start the console with --write.' };
}

/** Does `action` and says what it returns, or why it failed. */
export async function work(action) {
  try {
    say(await action());
  } catch (error) {
    say([error.message, error.hint].filter(Boolean).join(' '), 'bad');
  }
}

/** A command line with a button that copies it. */
export function commandLine(command) {
  const onclick = () =>
    work(async () => {
      await navigator.clipboard.writeText(command);
      return 'Copied.';
    });
  return h(
    'span',
    { class: 'command' },
    h('code', null, command),
    h('button', { type: 'button', class: 'plain', onclick, 'aria-label': `Copy: ${command}` }, 'Copy'),
  );
}

let made = 0;

/** A labelled input, select or textarea. */
export function field(label, control) {
  made += 1;
  control.id = `field-${made}`;
  return h('div', { class: 'field' }, h('label', { for: control.id }, label), control);
}

/** A select of `[value, text]` entries or of plain values. */
export function select(name, entries, chosen) {
  return h(
    'select',
    { name },
    entries.map((entry) => {
      const [value, text] = Array.isArray(entry) ? entry : [entry, entry];
      return h('option', { value, selected: value === chosen }, text);
    }),
  );
}
