import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type * as z from 'zod';
import { validationErrorsOf } from '../schemas/common.ts';
import type { World } from '../world.ts';

export interface ControlEnv {
  Bindings: HttpBindings;
}

export interface ControlTarget {
  world: World;
  /** Base URL of the sandbox; known only once the server listens. */
  sandboxUrl(): string;
}

/** A control's error, answered as `{error: {code, message}}`. */
export class ControlError extends Error {
  readonly status: 400 | 404 | 409 | 410;

  constructor(status: 400 | 404 | 409 | 410, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Parses a control's body. An absent body counts as `{}`.
 * @throws ControlError 400
 */
export async function readControl<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): Promise<z.output<Schema>> {
  const text = await c.req.text();
  const parsed = schema.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const faults = Object.entries(validationErrorsOf(parsed.error));
  throw new ControlError(400, faults.map(([field, message]) => `${field}: ${message}`).join('; '));
}

function jsonOf(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    throw new ControlError(400, 'The body is not JSON.');
  }
}
