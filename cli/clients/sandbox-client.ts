import * as z from 'zod';
import { parseJson } from '../../shared/collections/parse-json.ts';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { startOf } from '../invocation.ts';

const TIMEOUT_MS = 10_000;

/** The sandbox marketplace of a local run on its usual port. */
export const SANDBOX_URL = `http://127.0.0.1:${process.env.SANDBOX_PORT ?? 4568}`;

const answerSchema = z.looseObject({
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});

/**
 * Calls a control of the sandbox marketplace.
 *
 * @param path below `/sandbox`
 * @throws CliError if there is no sandbox, or it answers with an error
 */
export async function callControl(url: string, method: string, path: string, body?: object): Promise<object> {
  const noSandbox = (cause?: unknown) =>
    new CliError(`no sandbox at ${url}`, {
      code: 'UNREACHABLE',
      exitCode: EXIT.unreachable,
      hint: `Start one with \`${startOf('sandbox start')}\`, or set SANDBOX_PORT to its port.`,
      cause,
    });
  const answer = await fetch(`${url}/sandbox${path}`, {
    method,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  }).catch((error: unknown) => {
    throw noSandbox(error);
  });
  const { data: received } = answerSchema.safeParse(parseJson(await answer.text()));
  // Another program answers there.
  if (received === undefined) throw noSandbox();
  if (answer.ok) return received;
  const { code = `HTTP_${answer.status}`, message = JSON.stringify(received) } = received.error ?? {};
  throw new CliError(message, { code, exitCode: answer.status < 500 ? EXIT.usage : EXIT.failed });
}
