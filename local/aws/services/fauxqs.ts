import type { AddressInfo } from 'node:net';
import { buildApp } from 'fauxqs';
import { guard } from '../../../loopback/guard.ts';
import type { LoopbackServer } from '../loopback-server.ts';
import { internals, type Stores } from './fauxqs-internals.ts';
import { makeQueuesFair, type Send } from './sqs/fair-queues.ts';

/** The largest object of one request; fauxqs itself stops at 11 MiB. */
const maxObjectBytes = 512 * 1024 * 1024;

/**
 * Starts the SQS and S3 backend on a free loopback port.
 *
 * @param dataDirectory where queues and objects are kept; in memory when absent
 */
export async function startFauxqs(dataDirectory: string | undefined): Promise<LoopbackServer> {
  allowAllOfUnicode();
  const { SqsStore, SnsStore, S3Store } = internals;
  const stores: Stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  const persistence = dataDirectory === undefined ? undefined : persist(stores, dataDirectory);
  const app = buildApp({ logger: false, stores: stores as never });
  // An object may be of any type, also a form; only SNS, which is not used, needs a parsed form.
  app.removeContentTypeParser(['*', 'application/x-www-form-urlencoded']);
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxObjectBytes }, (_request, body, done) =>
    done(null, body),
  );
  // Fauxqs looks at the time only when messages are received. Without this, a message that became visible again would not be counted
  // until then.
  app.addHook('onRequest', async ({ headers }) => {
    if (headers['x-amz-target'] === 'AmazonSQS.GetQueueAttributes') stores.sqsStore.processAllTimers();
  });
  const inSend = makeQueuesFair();
  app.addHook('preHandler', ({ headers, body }, _reply, done) =>
    String(headers['x-amz-target']).startsWith('AmazonSQS.SendMessage') ? inSend(body as Send, done) : done(),
  );
  guard(app.server);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      for (const queue of stores.sqsStore.allQueues()) queue.cancelWaiters();
      await app.close();
      persistence?.close();
    },
  };
}

function persist(stores: Stores, dataDirectory: string): { close(): void } {
  const persistence = new internals.PersistenceManager(dataDirectory);
  // Load the state before persistence is attached to the stores, so that loading does not write the state back.
  persistence.load(stores.sqsStore, stores.snsStore, stores.s3Store);
  stores.sqsStore.persistence = persistence;
  stores.s3Store.persistence = persistence;
  for (const queue of stores.sqsStore.allQueues()) queue.persistence = persistence;
  return persistence;
}

/**
 * Fauxqs checks message bodies by UTF-16 units and so refuses every character beyond the basic plane, such as an emoji in a product name.
 * SQS accepts such characters.
 */
function allowAllOfUnicode(): void {
  const invalid = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;
  internals.INVALID_MESSAGE_BODY_CHAR.test = (body) => invalid.test(body);
}
