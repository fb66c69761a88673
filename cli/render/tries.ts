import { counted } from './words.ts';

/** A request that needed several tries. */
interface Tried {
  readonly count: number;
  readonly lastFailed?:
    | {
        readonly outcome?: string | undefined;
        readonly status?: number | undefined;
        readonly code?: string | undefined;
        readonly message?: string | undefined;
      }
    | undefined;
}

/** `3 tries, the last that failed: 503 SYS_DEP_503: try again`. */
export function triesText(tries: Tried | undefined): string | undefined {
  if (tries === undefined) return undefined;
  const { count, lastFailed } = tries;
  const said = counted(count, 'try', 'tries');
  if (lastFailed === undefined) return said;
  const { outcome, status, code, message } = lastFailed;
  const why = [[status, code].filter(Boolean).join(' '), message].filter(Boolean).join(': ');
  return `${said}, the last that failed: ${why === '' ? outcome : why}`;
}
