import * as z from 'zod';
import { AwsError } from '../../gateway/messages.ts';
import { type Policy, parsePolicy } from '../../iam/policy-document.ts';

const withPolicy = z.object({ Attributes: z.object({ Policy: z.string().optional() }).optional() });

/**
 * The policies that a request sets on its queue with the attribute `Policy`: no policies when the attribute is empty, `undefined` when it
 * is absent.
 *
 * @param queueName for the reason of later refusals
 * @throws AwsError InvalidAttributeValue for a policy that the local run does not support
 */
export function givenPolicies(queueName: string, input: unknown): Policy[] | undefined {
  const text = withPolicy.safeParse(input).data?.Attributes?.Policy;
  return text === undefined ? undefined : queuePolicies(queueName, text);
}

/**
 * The policies in the attribute `Policy` of a queue.
 *
 * @throws AwsError as `givenPolicies` does
 */
export function queuePolicies(queueName: string, text: string): Policy[] {
  try {
    return text === '' ? [] : [parsePolicy(`the policy of ${queueName}`, JSON.parse(text))];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AwsError('InvalidAttributeValue', `Invalid value for the parameter Policy. Reason: ${reason}`);
  }
}
