/**
 * The internal stores of fauxqs and their persistence. The server of fauxqs is not used, because it listens on every interface.
 */
export interface Stores {
  readonly sqsStore: {
    persistence?: unknown;
    allQueues(): Iterable<{
      persistence?: unknown;
      /** Answers the receives that wait for a message. Their callers may have gone. */
      cancelWaiters(): void;
    }>;
    /** Makes messages visible whose time has come. */
    processAllTimers(): void;
  };
  readonly snsStore: unknown;
  readonly s3Store: { persistence?: unknown };
}

/** A message of a queue. */
export interface QueuedMessage {
  readonly body: string;
  messageGroupId?: string | undefined;
}

/** A queue with its messages. */
export interface StoredQueue {
  /** The visible messages of a standard queue, in the order in which they are handed out. */
  messages: QueuedMessage[];
  readonly inflightMessages: ReadonlyMap<string, { readonly message: QueuedMessage }>;
  isFifo(): boolean;
  /** Makes messages visible whose time has come. */
  processTimers(): void;
  enqueue(message: QueuedMessage): void;
  dequeue(most: number, ...rest: readonly unknown[]): unknown[];
}

interface Persistence {
  load(sqsStore: unknown, snsStore: unknown, s3Store: unknown): void;
  close(): void;
}

interface Internals {
  readonly SqsStore: new () => Stores['sqsStore'];
  readonly SqsQueue: { readonly prototype: StoredQueue };
  readonly SnsStore: new () => unknown;
  readonly S3Store: new () => Stores['s3Store'];
  readonly PersistenceManager: new (directory: string) => Persistence;
  readonly INVALID_MESSAGE_BODY_CHAR: RegExp;
}

/** Modules of the pinned version that its package does not export. A bundle contains the modules in place of this list. */
const MODULES = ['sqs/sqsStore', 'sqs/sqsTypes', 'sns/snsStore', 's3/s3Store', 'persistence'];

const fauxqs = import.meta.resolve('fauxqs');
const modules = await Promise.all(MODULES.map((path) => import(new URL(`${path}.js`, fauxqs).href)));

export const internals: Internals = Object.assign({}, ...modules);
