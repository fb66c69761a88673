import { type CredentialStore, createCredentialStore } from '../gateway/credential-store.ts';
import type { AccessDenied, Log } from '../model.ts';
import type { Observer } from '../observer.ts';

/** What every part of a run shares. */
export interface RunContext {
  readonly clock: { now(): number };
  readonly log: Log;
  readonly observer: Observer;
  /** Logs a line of the run itself. */
  readonly say: (message: string) => void;
  /** Reports a failure of the run itself that no caller caused. */
  readonly onError: (error: unknown) => void;
  readonly credentialStore: CredentialStore;
  /** Every refusal so far. */
  readonly accessDenied: readonly AccessDenied[];
  readonly onDenied: (denied: AccessDenied) => void;
  /** Functions that stop the parts, called in the reverse order of starting. */
  readonly cleanup: AsyncDisposableStack;
}

export function createContext(log: Log, observer: Observer, cleanup: AsyncDisposableStack): RunContext {
  const clock = { now: () => Date.now() };
  const say = (message: string): void =>
    log({ time: clock.now(), source: 'local', stream: 'local', message });
  const accessDenied: AccessDenied[] = [];
  return {
    clock,
    log,
    observer,
    say,
    onError: (error) =>
      say(`Fault of the local run: ${error instanceof Error ? error.stack : String(error)}`),
    credentialStore: createCredentialStore(),
    accessDenied,
    onDenied(denied) {
      accessDenied.push(denied);
      say(`AccessDenied: ${denied.principal} ${denied.action} on ${denied.resource}: ${denied.reason}`);
    },
    cleanup,
  };
}
