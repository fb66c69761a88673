/** Milliseconds between two looks. */
const LOOK_EVERY_MS = 500;

/**
 * Watches the shell in which npm runs this process: a signal that reaches npm alone ends the shell and not this process,
 * which would then keep its ports. Does nothing if npm did not start it.
 *
 * @param onEnded called once, when the shell has ended
 */
export function watchNpmShell(onEnded: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    onEnded();
  }, LOOK_EVERY_MS);
  timer.unref();
}
