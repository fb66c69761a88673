import { CliError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';

/** The controls of the sandbox marketplace that the console passes on. */
const CONTROLS: readonly string[] = ['POST /faults', 'DELETE /faults', 'POST /orders'];
const TIMEOUT_MS = 10_000;

/**
 * Calls a control of the sandbox marketplace.
 *
 * @throws CliError for a control that is not passed on, or an answer with an error
 */
export async function callSandbox(
  sandboxUrl: string,
  { method, path, body }: { method: string; path: string; body: unknown },
): Promise<unknown> {
  if (!CONTROLS.includes(`${method} ${path}`)) throw refused(`the console passes on ${CONTROLS.join(', ')}`);
  const answer = await fetch(`${sandboxUrl}/sandbox${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(method !== 'DELETE' && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const received = (await answer.json()) as { error?: { message: string } };
  if (!answer.ok) throw refused(received.error?.message ?? `the sandbox answered ${answer.status}`);
  return received;
}

function refused(message: string): CliError {
  return new CliError(message, { code: 'SANDBOX_REFUSED', exitCode: EXIT.usage });
}
