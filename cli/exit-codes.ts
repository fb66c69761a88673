/** Exit codes of the command line; docs/cli.md lists them. */
export const EXIT = {
  done: 0,
  /** The stack or the marketplace refused, or a part of the work failed. */
  failed: 1,
  /** Wrong arguments, or no stack was named. */
  usage: 2,
  /** The change was not confirmed. */
  notConfirmed: 3,
  /** The stack cannot be reached, or it refuses the credentials. */
  unreachable: 4,
  /** The end that was waited for did not come in time. */
  timedOut: 5,
  /** What is live is not what it should be. */
  different: 6,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What each exit code means, for the help and the documentation. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'refused by the stack or the marketplace, or a part of the work failed',
  2: 'wrong arguments, or no stack was named',
  3: 'not confirmed: nothing was changed',
  4: 'the stack cannot be reached, or refuses the credentials',
  5: 'the end that was waited for did not come in time',
  6: '`reconcile` found differences',
};
