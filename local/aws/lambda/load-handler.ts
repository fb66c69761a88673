import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export type Handler = (event: unknown, context: object) => unknown;

/** An error with the name that Lambda's runtime gives it. */
export class RuntimeError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/**
 * Imports the function that a Lambda handler name refers to.
 *
 * @param handlerName `path/file.export`, relative to the task root; the export may be nested
 * @throws RuntimeError with Lambda's error names: no such file, no such export, or a handler with a callback, which the Node.js 24
 * runtime does not support. Errors of the module while it loads are passed on.
 */
export async function loadHandler(taskRoot: string, handlerName: string): Promise<Handler> {
  const match = /^((?:.*\/)?[^/.]+)\.(.+)$/.exec(handlerName);
  if (match === null) throw new RuntimeError('Runtime.MalformedHandlerName', `Bad handler: ${handlerName}`);
  const [, file = '', exportName = ''] = match;
  const candidates = ['.js', '.mjs', '.cjs'].map((extension) => resolve(taskRoot, file + extension));
  const path = candidates.find((candidate) => existsSync(candidate));
  if (path === undefined) {
    throw new RuntimeError('Runtime.ImportModuleError', `Error: Cannot find module '${file}' in ${taskRoot}`);
  }
  const module: unknown = await import(pathToFileURL(path).href);
  const handler = exportName.split('.').reduce<unknown>(property, module);
  if (typeof handler !== 'function') {
    throw new RuntimeError('Runtime.HandlerNotFound', `${handlerName} is undefined or not exported`);
  }
  if (handler.length >= 3) {
    throw new RuntimeError(
      'Runtime.CallbackHandlerDeprecated',
      `${handlerName} takes a callback; use async/await`,
    );
  }
  return handler as Handler;
}

function property(value: unknown, name: string): unknown {
  return value === null || value === undefined ? undefined : (value as Record<string, unknown>)[name];
}
