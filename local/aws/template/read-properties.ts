import * as z from 'zod';
import { TemplateError } from './cloudformation.ts';
import type { StackResource } from './read-stack.ts';

/**
 * The properties of a resource in the shape of a schema. With a strict schema an unsupported property stops the local run: if it were
 * ignored, there would be a hidden difference to the real service.
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
