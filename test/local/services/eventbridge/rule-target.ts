import { z } from 'zod';
import { inputFault } from './target-input.ts';

/** A target as templates and the API alike write it. */
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
  RetryPolicy: z.unknown().optional().describe('a delivery either arrives at once or is refused for good'),
});

export type RuleTarget = z.output<typeof ruleTarget>;

/** Why the local run can not deliver to a target whatever the event is; `undefined` when it can. */
export function targetFault(target: RuleTarget): string | undefined {
  const service = targetService(target);
  if (service !== 'sqs' && service !== 'lambda')
    return `${target.Arn} is neither a queue nor a function: the local run does not know it`;
  if (target.Arn.endsWith('.fifo') && !target.SqsParameters)
    return `Parameter(s) SqsParameters must be specified for target: ${target.Id}.`;
  const fault = inputFault(target);
  return fault === undefined ? undefined : `${fault} (target ${target.Id})`;
}

/** `sqs`, `lambda`, … */
export function targetService({ Arn }: RuleTarget): string {
  return Arn.split(':')[2] ?? '';
}
