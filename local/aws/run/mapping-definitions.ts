import * as z from 'zod';
import type { EventSourceMappingDefinition } from '../model.ts';
import type { QueueDefinition } from '../services/sqs/queue-definition.ts';
import { readProperties } from '../template/read-properties.ts';
import type { Stack } from '../template/read-stack.ts';

const mappingProperties = z.strictObject({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  BatchSize: z.number().default(10),
  MaximumBatchingWindowInSeconds: z.number().default(0),
  Enabled: z.boolean().default(true),
  FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
  ScalingConfig: z.strictObject({ MaximumConcurrency: z.number().optional() }).default({}),
  Tags: z.unknown().optional(),
});

/**
 * The event source mappings of the stack that are switched on.
 *
 * @throws Error, naming the logical ID, for a property that the local run does not know (such as `FilterCriteria`), or for a source that
 * is not a queue of the stack.
 */
export function stackMappings(
  stack: Stack,
  queues: readonly QueueDefinition[],
): EventSourceMappingDefinition[] {
  return stack.ofType('AWS::Lambda::EventSourceMapping').flatMap((resource) => {
    const mapping = readProperties(resource, mappingProperties);
    if (!mapping.Enabled) return [];
    const queue = queues.find(({ arn }) => arn === mapping.EventSourceArn);
    if (!queue)
      throw new Error(`${resource.logicalId}: ${mapping.EventSourceArn} is not a queue of the stack`);
    const { MaximumConcurrency } = mapping.ScalingConfig;
    return [
      {
        queueArn: queue.arn,
        functionName: mapping.FunctionName.split(':').at(-1) ?? '',
        batchSize: mapping.BatchSize,
        windowSeconds: mapping.MaximumBatchingWindowInSeconds,
        reportBatchItemFailures: mapping.FunctionResponseTypes.includes('ReportBatchItemFailures'),
        ...(MaximumConcurrency === undefined ? {} : { maximumConcurrency: MaximumConcurrency }),
      },
    ];
  });
}
