import { randomUUID } from 'node:crypto';
import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createLargeMessageSender } from '../../shared/aws/large-messages.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { describeError } from '../../shared/lambda/describe-error.ts';
import { logger, metrics } from '../../shared/lambda/observability.ts';
import { queueBatchHandler } from '../../shared/lambda/queue-handler.ts';
import { forwardCommands } from '../../shared/products/use-cases/forward-commands.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';

const environment = readEnvironment(['productCommandsQueueUrl', 'archiveBucket', 'itemsPerRequest']);

const ports = {
  // A command grows where it is given the identity that it goes on under.
  commands: createLargeMessageSender(
    createQueueSender(sqsClient(), environment.productCommandsQueueUrl),
    s3Client(),
    environment.archiveBucket,
  ),
  newId: randomUUID,
  itemsPerRequest: environment.itemsPerRequest,
};

/** Sends bulk commands on to the product commands queue, small ones packed together. */
export const handler = queueBatchHandler(async (messages) => {
  const { sent, failedMessageIds, failures } = await forwardCommands(ports, messages);
  metrics.addMetric('CommandsReceived', MetricUnit.Count, messages.length);
  metrics.addMetric('PacksSent', MetricUnit.Count, sent);
  logger.info('commands sent on', { messages: messages.length, sent, failed: failedMessageIds.length });
  for (const failure of failures) logger.error('commands not sent, they come again', describeError(failure));
  return { failedMessageIds };
});
