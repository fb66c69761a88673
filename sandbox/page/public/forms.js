import { control } from './api.js';
import { h } from './dom.js';

/**
 * A form for a control. `fields`: {name, label, type, options, value, placeholder, required, when}; `when(values)`
 * returns whether a field is shown. `send(values)` returns [method, path, body], `done(answer)` the message of success.
 */
export function controlForm({ title, intro, fields, submit, send, done }) {
  const inputs = fields.map((field) => ({ field, input: inputOf(field) }));
  const status = h('output', { role: 'status' });
  const values = () =>
    Object.fromEntries(inputs.map(({ field, input }) => [field.name, givenValue(field, input)]));
  const rows = inputs.map(({ field, input }) => fieldRow(field, input));
  const update = () => {
    for (const [index, { field, input }] of inputs.entries()) {
      const present = field.when?.(values()) ?? true;
      rows[index].hidden = !present;
      input.disabled = !present;
    }
  };
  const onsubmit = async (event) => {
    event.preventDefault();
    await showOutcome(status, async () => done(await control(...send(values()))));
  };
  const buttons = h('div', { class: 'actions' }, h('button', { type: 'submit' }, submit), status);
  const heading = h('h2', null, title);
  const text = intro && h('p', { class: 'hint' }, intro);
  const form = h('form', { class: 'card', 'aria-label': title, onsubmit, onchange: update });
  form.append(...[heading, text, h('div', { class: 'fields' }, rows), buttons].filter(Boolean));
  update();
  return form;
}

/** A button for a control. It asks for confirmation if `question` is given. */
export function controlButton({ label, tone, question, send, done }) {
  const status = h('output', { role: 'status' });
  const onclick = async () => {
    if (question !== undefined && !window.confirm(question)) return;
    await showOutcome(status, async () => done(await control(...send())));
  };
  return h(
    'span',
    { class: 'actions' },
    h('button', { type: 'button', class: tone, onclick }, label),
    status,
  );
}

async function showOutcome(status, action) {
  try {
    status.textContent = await action();
    status.className = 'ok';
  } catch (error) {
    status.textContent = error.message;
    status.className = 'bad';
  }
}

let made = 0;

/** The label is beside its input, not around it: otherwise the options of a select would be part of its name. */
function fieldRow(field, input) {
  made += 1;
  input.id = `field-${made}`;
  const label = h('label', { for: input.id }, field.label);
  if (field.type === 'checkbox') return h('div', { class: 'check' }, input, label);
  const list = field.type === 'list' && h('datalist', { id: `${input.id}-list` }, options(field.options));
  if (list) input.setAttribute('list', list.id);
  return h('div', null, label, input, list);
}

function inputOf(field) {
  const { name, placeholder, required, value, step } = field;
  if (field.type === 'select') return h('select', { name }, options(field.options, value));
  const type = { number: 'number', checkbox: 'checkbox', url: 'url' }[field.type] ?? 'text';
  return h('input', { name, type, placeholder, required, value, step, autocomplete: 'off' });
}

function options(entries, selected) {
  return entries.map((entry) => {
    const [value, text] = Array.isArray(entry) ? entry : [entry, entry];
    return h('option', { value, selected: value === selected }, text);
  });
}

/** Undefined for an empty field, which controls take as absent. */
function givenValue(field, input) {
  if (input.disabled || input.value === '') return undefined;
  if (field.type === 'checkbox') return input.checked;
  return field.type === 'number' ? Number(input.value) : input.value;
}
