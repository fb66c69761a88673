/** The sandbox cannot be reached, or fails. */
export class NoAnswer extends Error {}

/** Reads a part of the sandbox's state as JSON text. Throws NoAnswer. */
export async function get(path) {
  const response = await fetch(`/sandbox/page/${path}`).catch(() => undefined);
  if (!response?.ok) throw new NoAnswer();
  return response.text().catch(() => {
    throw new NoAnswer();
  });
}

/** Calls one of the sandbox's controls. Throws an Error with its message. */
export async function control(method, path, body) {
  const response = await fetch(`/sandbox${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error?.message ?? `The sandbox answered ${response.status}.`);
  document.dispatchEvent(new Event('changed'));
  return answer;
}
