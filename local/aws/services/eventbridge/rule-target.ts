import * as z from 'zod';

/** A target as templates and the API write it. */
export const ruleTarget = z.strictObject({
  Id: z.string().regex(/^[.\-_A-Za-z0-9]{1,64}$/),
  Arn: z.string(),
  Input: z.string().optional(),
  InputPath: z.string().optional(),
  InputTransformer: z
    .strictObject({ InputPathsMap: z.record(z.string(), z.string()).default({}), InputTemplate: z.string() })
    .optional(),
  DeadLetterConfig: z.strictObject({ Arn: z.string() }).optional(),
  SqsParameters: z.strictObject({ MessageGroupId: z.string() }).optional(),
  RetryPolicy: z.unknown().optional().describe('a delivery either arrives at once or is refused finally'),
});

export type RuleTarget = z.output<typeof ruleTarget>;

/** `sqs`, `lambda`, … */
export function targetService({ Arn }: RuleTarget): string {
  return Arn.split(':')[2] ?? '';
}
