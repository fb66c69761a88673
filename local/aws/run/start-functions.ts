import type { CredentialStore } from '../gateway/credential-store.ts';
import { createFunctionHost, type FunctionHost } from '../lambda/function-host.ts';
import type { InvocationResult, Log } from '../model.ts';
import { account } from '../template/account.ts';
import type { StackFunction } from './function-definitions.ts';

/** A function of the stack that can be invoked. */
export interface RunningFunction extends StackFunction {
  readonly host: FunctionHost;
}

/** The functions of the stack by the names that a caller may use for them. */
export interface Functions {
  all(): readonly RunningFunction[];
  /**
   * Finds a function by its physical name, or by a part of its logical ID that no other function has.
   *
   * @throws Error when the name matches no function, or several
   */
  find(name: string): RunningFunction;
  invoke(name: string, event: unknown): Promise<InvocationResult>;
  /** Invocations under way. */
  running(): number;
  stop(): Promise<void>;
}

/** Gives every function of the stack a host; a function's process starts with its first event. */
export function startFunctions(options: {
  functions: readonly StackFunction[];
  credentialStore: CredentialStore;
  endpoint: string;
  log: Log;
}): Functions {
  const { credentialStore, endpoint, log } = options;
  const all = options.functions.map((one): RunningFunction => {
    const { definition, role } = one;
    const host = createFunctionHost({
      definition,
      credentials: () => credentialStore.assumeRole(role, definition.name).credentials,
      endpoint,
      region: account.region,
      log,
    });
    return { ...one, host };
  });

  function find(name: string): RunningFunction {
    const exact = all.find(({ definition }) => definition.name === name);
    const partial = all.filter(({ logicalId }) => logicalId.includes(name));
    const [found, second] = exact ? [exact] : partial;
    if (!found) throw new Error(`No function of the stack is called ${name}`);
    if (second) throw new Error(`${name} fits ${partial.map(({ logicalId }) => logicalId).join(' and ')}`);
    return found;
  }

  return {
    all: () => all,
    find,
    invoke: (name, event) => find(name).host.invoke(event),
    running: () => all.reduce((sum, { host }) => sum + host.running(), 0),
    async stop() {
      await Promise.all(all.map(({ host }) => host.stop()));
    },
  };
}
