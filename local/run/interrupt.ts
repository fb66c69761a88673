const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Exit status of a process ended by SIGINT. */
const INTERRUPTED_STATUS = 130;

export interface Interrupt extends Disposable {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
}

/**
 * Listens for SIGINT and SIGTERM until disposed.
 *
 * @param options.onFirst called at the first signal
 * @param options.end called with an exit status at the second signal; default ends the process
 * @param options.signals emitter of the signals; default the process
 */
export function listenForInterrupt(options: {
  onFirst: () => void;
  end?: (status: number) => void;
  signals?: Pick<NodeJS.EventEmitter, 'on' | 'off'>;
}): Interrupt {
  const { onFirst, signals = process, end = (status) => process.exit(status) } = options;
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) return end(INTERRUPTED_STATUS);
    controller.abort();
    onFirst();
  };
  for (const signal of SIGNALS) signals.on(signal, interrupt);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const signal of SIGNALS) signals.off(signal, interrupt);
    },
  };
}
