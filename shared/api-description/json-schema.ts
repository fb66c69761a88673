import { z } from 'zod';

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A zod schema as JSON Schema (draft 2020-12, which OpenAPI 3.1 and AsyncAPI 3 speak). Rules that go beyond it, such as
 * "exactly one of", are left out: the schema allows more than the code does, never less.
 *
 * @param side `input`: what may be sent; `output`: what comes out.
 */
export function jsonSchemaOf(schema: z.ZodType, side: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: side,
    unrepresentable: 'any',
    reused: 'inline',
  });
  return jsonSchema;
}
