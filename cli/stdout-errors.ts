/**
 * Takes the failures of writes to standard output, which would end the process with a stack trace.
 *
 * @param handlers.onReaderGone called once when the reader goes away, as `head` does
 * @param handlers.onError called for any other failure, such as a full disk
 */
export function watchStdout(handlers: {
  onReaderGone: () => void;
  onError: (error: NodeJS.ErrnoException) => void;
}): void {
  let isReaderGone = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') return handlers.onError(error);
    if (isReaderGone) return;
    isReaderGone = true;
    handlers.onReaderGone();
  });
}
