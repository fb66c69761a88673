import type { Context } from '../context.ts';

/** What a console works with. */
export interface ConsoleOptions extends Pick<Context, 'target' | 'api' | 'aws'> {
  /** Whether its page may change things. */
  readonly canWrite: boolean;
  /** How commands that the page shows begin. Default: as this process was called. */
  readonly program?: string;
  /** The sandbox marketplace of a local run. */
  readonly sandboxUrl?: string | undefined;
}
