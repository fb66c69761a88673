import { actionButton, commandLine, field, sendAll, work, writing } from '../actions.js';
import { counted, h, hrefOf } from '../dom.js';

/** What can be done about an entry: each way with its case. Ways after something to look at are equal. */
export function remediesOf({ kind, lookAt, remedies, storeClientId }, canWrite) {
  const reason = remedies.some(({ button }) => button?.asks === 'reason') ? reasonField() : undefined;
  const isOpen = !canWrite || remedies.every(({ button }) => button === undefined);
  return h(
    'div',
    { class: 'remedies' },
    reason?.element,
    remedies.map(({ name, text, button }, index) =>
      button === undefined && name === 'put-secret'
        ? h('p', null, text)
        : h(
            'div',
            { class: 'remedy' },
            h('p', null, text),
            controlOf(
              { kind, name, button, reason, storeClientId, canWrite, remedies },
              index === 0 && !lookAt,
            ),
          ),
    ),
    commandsOf(remedies, isOpen),
  );
}

function controlOf({ kind, name, button, reason, storeClientId, canWrite, remedies }, isUsual) {
  if (name === 'delete') return deleteLink(remedies);
  if (button === undefined) return undefined;
  const tone = isUsual && 'primary';
  const done = (answer) => saidOf(kind, { button, answer, storeClientId });
  if (button.asks === 'storeToken') return tokenForm({ button, storeClientId, done, tone, canWrite });
  const body = () => ({ ...button.body, ...(button.asks === 'reason' && reason.given()) });
  return actionButton({ ...button, body, done, tone, canWrite });
}

/** Messages are chosen where they can be read. */
function deleteLink(remedies) {
  const { path = '' } = remedies.find(({ name }) => name === 'redrive')?.button ?? {};
  const queue = decodeURIComponent(path.split('/').at(-2) ?? '');
  return h('a', { class: 'button', href: hrefOf('dead-letters', queue) }, 'Choose messages to delete');
}

/** The token goes to the console alone, which has it checked; it is not shown, not kept and not repeated. */
function tokenForm({ button, storeClientId, done, tone, canWrite }) {
  const token = h('input', {
    type: 'password',
    name: 'storeToken',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
    'aria-label': `New token of ${storeClientId}`,
    placeholder: 'new token',
  });
  const onsubmit = (event) => {
    event.preventDefault();
    const body = { storeToken: token.value };
    token.value = '';
    return work(async () =>
      done(
        await sendAll(button.path, body).catch(({ code, message }) => {
          throw new Error(`The token was not saved: ${[code, message].filter(Boolean).join(': ')}`);
        }),
      ),
    );
  };
  return h(
    'form',
    { class: 'actions', onsubmit, autocomplete: 'off' },
    token,
    h('button', { type: 'submit', class: tone, ...writing(canWrite) }, button.label),
  );
}

function reasonField() {
  const input = h('input', { name: 'reason', maxlength: 300, autocomplete: 'off' });
  return {
    element: field('How you know it (optional, kept with it)', input),
    given: () => (input.value.trim() === '' ? {} : { reason: input.value.trim() }),
  };
}

function commandsOf(remedies, isOpen) {
  const commands = remedies.map(({ command }) => h('li', null, commandLine(command)));
  return h(
    'details',
    { open: isOpen },
    h('summary', null, 'On the command line'),
    h('ul', { class: 'plain' }, commands),
  );
}

/** One button for all entries of each way that needs nothing of its own for each. */
export function remediesOfAll(entries, canWrite) {
  const [{ kind, lookAt, remedies }] = entries;
  const reason = remedies.some(({ button }) => button?.asks === 'reason') ? reasonField() : undefined;
  const common = remedies.flatMap(({ text, button }, index) =>
    button === undefined || button.asks === 'storeToken' ? [] : [{ text, button, index }],
  );
  if (common.length === 0) return undefined;
  return h(
    'div',
    { class: 'remedies all', role: 'group', 'aria-label': `All ${entries.length}` },
    h('h3', null, `All ${entries.length} at once`),
    reason?.element,
    common.map(({ text, button, index }) => {
      const onclick = () => {
        const all = `${button.label}: all ${entries.length}`;
        if (!window.confirm(button.question ? `${button.question} ${all}?` : `${all}?`)) return undefined;
        return work(() => sendToAll(entries, index, reason?.given() ?? {}));
      };
      const tone = index === 0 && !lookAt && 'primary';
      return h(
        'div',
        { class: 'remedy' },
        h('p', null, text),
        h(
          'button',
          { type: 'button', class: tone, onclick, ...writing(canWrite) },
          `${button.label}: all ${entries.length}`,
        ),
      );
    }),
    kind === 'store-suspended' && h('p', { class: 'hint' }, 'A new token is given one by one.'),
  );
}

/** One after the other: what fails is said, and the others go on. */
async function sendToAll(entries, index, given) {
  const failures = [];
  for (const { remedies } of entries) {
    const { path, body, asks } = remedies[index].button;
    await sendAll(path, { ...body, ...(asks === 'reason' && given) }).catch((error) => failures.push(error));
  }
  const done = entries.length - failures.length;
  if (failures.length === 0) return `Done for all ${done}.`;
  throw new Error(
    `Done for ${counted(done, 'entry', 'entries')}, not for ${failures.length}: ${failures[0].message}`,
  );
}

/** What a button has begun, with a link to it. */
function saidOf(kind, { button, answer, storeClientId }) {
  const { body } = button;
  const link = {
    'dead-letters': () => ['Look at the flow', hrefOf('flow')],
    'order-unknown': () => [
      'Look at the order',
      hrefOf('orders', body.orderId ?? body.invoiceNumber, { store: storeClientId }),
    ],
    'batch-unresolved': () => [
      'Look at the batch',
      hrefOf('batches', decodeURIComponent(button.path.split('/').at(-2))),
    ],
    'listing-contested': () => [
      'Look at its history',
      hrefOf('find', body.targets?.[0] ?? '', { store: storeClientId }),
    ],
    'import-held': () => ['Look at the file', hrefOf('imports', undefined, { storeClientId })],
    'import-failed': () => ['Look at the file', hrefOf('imports', undefined, { storeClientId })],
    'store-suspended': () => ['Look at what is sent', hrefOf('flow')],
    'prices-held': () => ['Look at what is sent', hrefOf('flow')],
  }[kind];
  const [label, href] = link?.() ?? [];
  return { text: textOf(kind, answer, storeClientId), href, label };
}

function textOf(kind, { moved, to, state, trace, message }, storeClientId) {
  // A command that waits.
  if (trace !== undefined) return message;
  if (kind === 'dead-letters') return `Moved ${moved} to ${to}.`;
  if (kind === 'store-suspended') return `${storeClientId} is ${state}: what waits is sent.`;
  return 'Done.';
}
