import * as z from 'zod';
import { conditionBlock } from './conditions.ts';
import { hasVariable } from './wildcards.ts';

const oneOrMore = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (Array.isArray(value) ? value : [value]));

const resources = oneOrMore.refine((arns) => !arns.some(hasVariable), 'has a policy variable');

const principals = z.union([
  z.literal('*').transform((): PolicyPrincipals => ({ AWS: ['*'] })),
  z.strictObject({ AWS: oneOrMore.optional(), Service: oneOrMore.optional() }),
]);

const statement = z
  .strictObject({
    Sid: z.string().optional(),
    Effect: z.enum(['Allow', 'Deny']),
    Principal: principals.optional(),
    Action: oneOrMore.optional(),
    NotAction: oneOrMore.optional(),
    Resource: resources.optional(),
    NotResource: resources.optional(),
    Condition: conditionBlock.default([]),
  })
  .refine(
    (value) => (value.Action === undefined) !== (value.NotAction === undefined),
    'needs Action or NotAction',
  )
  .refine(
    (value) => value.Resource === undefined || value.NotResource === undefined,
    'has Resource and NotResource',
  );

const policyDocument = z.strictObject({
  // The older version differs only in that it has no policy variables. These are refused in both versions.
  Version: z.enum(['2008-10-17', '2012-10-17']).optional(),
  Id: z.string().optional(),
  Statement: z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(statement)),
});

interface PolicyPrincipals {
  AWS?: string[] | undefined;
  Service?: string[] | undefined;
}

export type Statement = z.output<typeof statement>;

/** A policy with its place in the template, for the reason of a refusal. */
export interface Policy {
  readonly source: string;
  readonly statements: readonly Statement[];
}

/**
 * Reads a policy document.
 *
 * @throws Error naming the source, for an unsupported element, condition operator, condition key or policy variable: if these were
 * ignored, a refusal could become a permission.
 */
export function parsePolicy(source: string, document: unknown): Policy {
  const parsed = policyDocument.safeParse(document);
  if (!parsed.success)
    throw new Error(
      `${source}: a policy the local run does not understand: ${z.prettifyError(parsed.error)}`,
    );
  return { source, statements: parsed.data.Statement };
}
