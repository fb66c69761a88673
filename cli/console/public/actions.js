import { send } from './api.js';
import { h } from './dom.js';
import { icon } from './icons.js';

const notice = document.getElementById('notice');

/**
 * Says how something ended, below the screen, until it is closed or something else is said. `said` is a text, or a text with the
 * link to what was begun: `{text, href, label}`. No text: nothing.
 */
export function say(said, tone = 'ok') {
  const { text, href, label } = typeof said === 'string' ? { text: said } : said;
  const close = h(
    'button',
    { type: 'button', class: 'small', 'aria-label': 'Close the message', onclick: () => say('') },
    'Close',
  );
  const content = [icon(tone), h('span', null, text), href && h('a', { href }, label), close].filter(Boolean);
  notice.replaceChildren(...(text === '' ? [] : content));
  notice.className = tone;
}
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') say('');
});

/**
 * A button that changes something: `{label, path, body, method, question, done, canWrite}`. It asks the question first.
 * `done(answer)` returns what to say. `hint`: the label with what it is about, where many buttons have the same label. `tone`:
 * `primary` for what a person most likely wants, once in a card at most.
 */
export function actionButton({ label, hint, path, body, method, question, done, canWrite, tone }) {
  const onclick = async (event) => {
    if (question !== undefined && !window.confirm(question)) return;
    const button = event.currentTarget;
    button.disabled = true;
    await work(async () => done(await sendAll(path, typeof body === 'function' ? body() : body, method)));
    button.disabled = false;
  };
  return h(
    'button',
    { type: 'button', class: tone, 'aria-label': hint, onclick, ...writing(canWrite) },
    label,
  );
}

/** Sends until all is done: one call of the operations API has a limit of time. */
export async function sendAll(path, body, method) {
  let answer;
  do answer = await send(path, body, method);
  while (answer.done === false);
  return answer;
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
  return h('span', { class: 'command' }, h('code', null, command), copyButton(command, 'Copy'));
}

/** A button that copies a command line. */
export function copyButton(command, label = 'Copy the command') {
  const onclick = () =>
    work(async () => {
      await navigator.clipboard.writeText(command);
      return `Copied: ${command}`;
    });
  const named = { title: command, 'aria-label': `${label}: ${command}` };
  return h('button', { type: 'button', class: 'small', onclick, ...named }, label);
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
