import { callControl } from '../../clients/sandbox-client.ts';
import { usageError } from '../../errors.ts';

/** The controls of the sandbox marketplace that the console passes on. */
const CONTROLS: readonly string[] = ['POST /faults', 'DELETE /faults', 'POST /orders'];

/**
 * Calls a control of the sandbox marketplace.
 *
 * @throws CliError for a control that is not passed on, or an answer with an error
 */
export async function callSandbox(
  sandboxUrl: string,
  { method, path, body }: { method: string; path: string; body?: object },
): Promise<object> {
  if (!CONTROLS.includes(`${method} ${path}`))
    throw usageError(`the console passes on ${CONTROLS.join(', ')}`);
  return callControl(sandboxUrl, method, path, body);
}
