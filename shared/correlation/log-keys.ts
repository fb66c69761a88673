import { AsyncLocalStorage } from 'node:async_hooks';

/** IDs in every log line of the work that they belong to. None is a secret. */
export interface LogKeys {
  /** Of the queue. */
  readonly messageId?: string;
  /** API Gateway's, as in the access log and in the answer to the caller. */
  readonly apiRequestId?: string;
  readonly storeClientId?: string;
  /** Events and commands whose rows a request holds. */
  readonly eventIds?: readonly string[];
  readonly commandIds?: readonly string[];
  /** The connector's own ID of a request; its batch has it as `attemptId`. */
  readonly recordId?: string;
  /** Listings whose rows a bulk request of a lane holds. */
  readonly targets?: readonly string[];
  readonly batchId?: string;
  /** Of an archived final summary. */
  readonly archiveKey?: string;
  /** A file of the import bucket. */
  readonly bucket?: string;
  readonly key?: string;
  readonly importId?: string;
}

const scope = new AsyncLocalStorage<{ keys: LogKeys }>();

/** Does `work` with these keys, and those around it, in every log line. They end with `work`. */
export function withLogKeys<Result>(keys: LogKeys, work: () => Result): Result {
  return logScope(keys)(work);
}

/** As {@link withLogKeys}, for work in several parts: keys that a part adds stay for the later ones. */
export function logScope(keys: LogKeys): <Result>(part: () => Result) => Result {
  const outer = scope.getStore()?.keys;
  const own = { keys: outer === undefined ? keys : { ...outer, ...keys } };
  return (part) => scope.run(own, part);
}

/** Adds keys until the end of the surrounding `withLogKeys`; without one it has no effect. */
export function addLogKeys(keys: LogKeys): void {
  const current = scope.getStore();
  if (current !== undefined) current.keys = { ...current.keys, ...keys };
}

/** The keys of the current work. */
export function logKeys(): LogKeys {
  return scope.getStore()?.keys ?? {};
}
