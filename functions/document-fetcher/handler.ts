import { createLargeMessages } from '../../shared/aws/archive-bucket.ts';
import { s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createDocumentBucket } from '../../shared/aws/document-bucket.ts';
import { documentClient } from '../../shared/aws/document-client.ts';
import { ledgerPorts } from '../../shared/aws/ledger-ports.ts';
import { connectMarketplace } from '../../shared/aws/marketplace.ts';
import { createOrderTable } from '../../shared/aws/order-table.ts';
import { createCommandQueue, createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createDocumentDomain, outcomeOf } from '../../shared/documents/document-domain.ts';
import { commandHandler } from '../../shared/lambda/command-handler.ts';
import { addCount } from '../../shared/lambda/observability.ts';
import { requestLog } from '../../shared/lambda/request-log.ts';
import { documentCallsOver } from '../../shared/marketplace/documents.ts';
import { receiveCommands } from '../../shared/requests/use-cases/receive-commands.ts';
import { environment } from '../../shared/settings/environment.ts';

const tables = documentClient();
const s3 = s3Client();
const { call, limiter, secretKey } = connectMarketplace(environment, { tables, observer: requestLog });

const ports = {
  ...ledgerPorts(environment, { tables, s3 }),
  orders: createOrderTable(tables, environment.ordersTable, environment.orderRetentionDays),
  documents: createDocumentBucket(environment.documentBucket, s3),
  calls: documentCallsOver(call),
  limiter,
  secretKey,
  commandQueue: createCommandQueue(createQueueSender(sqsClient(), environment.documentCommandsQueueUrl)),
  waitForStateMs: environment.documentWaitMinutes * 60_000,
};
const domain = createDocumentDomain(ports);

/** Fetches documents into the document bucket. */
export const handler = commandHandler(
  createLargeMessages(environment.archiveBucket, s3),
  async (messages, time) => {
    const received = await receiveCommands(ports, domain, messages, time);
    for (const request of received.requests) {
      // An earlier delivery has counted the requests that it applied.
      const outcome = request.appliedAt === undefined ? outcomeOf(request) : undefined;
      if (outcome === undefined) continue;
      addCount('stored' in outcome ? 'DocumentsStored' : 'DocumentsFailed');
    }
    return received;
  },
);
