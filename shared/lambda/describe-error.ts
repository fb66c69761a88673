/**
 * What a log says of a failure: its name, code and message, and those of its cause; no stack, no request. The message is
 * the `reason`, as the logger drops a `message` that is not the line's own.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { error: error.name, reason: error.message, ...code, ...cause };
}
