import { createLargeMessageSender, createLargeMessages } from '../../shared/aws/archive-bucket.ts';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { documentClient } from '../../shared/aws/document-client.ts';
import { ledgerPorts } from '../../shared/aws/ledger-ports.ts';
import { connectMarketplace } from '../../shared/aws/marketplace.ts';
import { createOrderTable } from '../../shared/aws/order-table.ts';
import { createCommandQueue, createQueueSender } from '../../shared/aws/queue-sender.ts';
import { commandHandler } from '../../shared/lambda/command-handler.ts';
import { addCount } from '../../shared/lambda/observability.ts';
import { requestLog } from '../../shared/lambda/request-log.ts';
import { orderCallsOver } from '../../shared/marketplace/orders.ts';
import { countOrders, createOrderDomain } from '../../shared/orders/order-domain.ts';
import { receiveCommands } from '../../shared/requests/use-cases/receive-commands.ts';
import { environment } from '../../shared/settings/environment.ts';

const tables = documentClient();
const s3 = s3Client();
const { archiveBucket } = environment;
const commandsQueue = createQueueSender(sqsClient(), environment.orderCommandsQueueUrl);
const { call, limiter, secretKey } = connectMarketplace(environment, { tables, observer: requestLog });

const ports = {
  ...ledgerPorts(environment, { tables, s3 }),
  orders: createOrderTable(tables, environment.ordersTable, environment.orderRetentionDays),
  batches: createBatchTable(tables, environment.batchesTable, environment.recordRetentionDays),
  calls: orderCallsOver(call),
  limiter,
  secretKey,
  commandQueue: createCommandQueue(createLargeMessageSender(commandsQueue, archiveBucket, s3)),
  itemsPerRequest: environment.itemsPerRequest,
  batchDeadlineMs: environment.batchDeadlineMinutes * 60_000,
};
const domain = createOrderDomain(ports);

/** Performs order commands. Decisions of one store share requests. */
export const handler = commandHandler(createLargeMessages(archiveBucket, s3), async (messages, time) => {
  const received = await receiveCommands(ports, domain, messages, time);
  const { accepted, unknown, rejected } = countOrders(received.requests);
  addCount('OrdersAccepted', accepted);
  addCount('OrdersUnknown', unknown);
  return { ...received, rejected: received.rejected + rejected };
});
