/**
 * The internal stores of fauxqs and their persistence. Its own server is not used, because it binds every interface.
 */
export interface Stores {
  readonly sqsStore: {
    persistence?: unknown;
    allQueues(): Iterable<{
      persistence?: unknown;
      /** Answers the receives that wait for a message, whose callers may have gone. */
      cancelWaiters(): void;
    }>;
    /** Makes messages visible whose time has come. */
    processAllTimers(): void;
  };
  readonly snsStore: unknown;
  readonly s3Store: { persistence?: unknown };
}

interface Persistence {
  load(sqsStore: unknown, snsStore: unknown, s3Store: unknown): void;
  close(): void;
}

interface Internals {
  readonly SqsStore: new () => Stores['sqsStore'];
  readonly SnsStore: new () => unknown;
  readonly S3Store: new () => Stores['s3Store'];
  readonly PersistenceManager: new (directory: string) => Persistence;
  readonly INVALID_MESSAGE_BODY_CHAR: RegExp;
}

/** Modules of the pinned version that its package does not export. A bundle has them in place of this list. */
const MODULES = ['sqs/sqsStore', 'sqs/sqsTypes', 'sns/snsStore', 's3/s3Store', 'persistence'];

const fauxqs = import.meta.resolve('fauxqs');
const modules = await Promise.all(MODULES.map((path) => import(new URL(`${path}.js`, fauxqs).href)));

export const internals: Internals = Object.assign({}, ...modules);
