import { z } from 'zod';
import { TemplateError } from './cloudformation.ts';
import type { StackResource } from './read-stack.ts';

/**
 * The properties of a resource in a schema's shape. With a strict schema, what the local run does not know about stops it:
 * left out of account, it would be the difference to the real service that nobody looks for.
 *
 * @throws TemplateError naming the logical ID and the type
 */
export function readProperties<T>(
  resource: Pick<StackResource, 'logicalId' | 'type' | 'properties'>,
  schema: z.ZodType<T>,
): T {
  const parsed = schema.safeParse(resource.properties);
  if (parsed.success) return parsed.data;
  throw new TemplateError(
    `${resource.logicalId} (${resource.type}) can not run locally: ${z.prettifyError(parsed.error)}`,
  );
}
