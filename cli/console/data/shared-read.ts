export interface SharedRead<T> {
  get(): Promise<T>;
  /** The next call reads again: something was changed. */
  forget(): void;
}

/**
 * A read whose result all callers share for `maxAgeMs`, so that it costs the same for one page as for ten. Callers at the
 * same time wait for the same read. A read that fails is not kept.
 *
 * @param now epoch ms
 */
export function sharedRead<T>(
  read: () => Promise<T>,
  { maxAgeMs, now = Date.now }: { maxAgeMs: number; now?: () => number },
): SharedRead<T> {
  let current: { readonly result: Promise<T>; readonly at: number } | undefined;
  return {
    get() {
      if (current !== undefined && now() - current.at < maxAgeMs) return current.result;
      const result = read();
      const started = { result, at: now() };
      current = started;
      result.catch(() => {
        if (current === started) current = undefined;
      });
      return result;
    },
    forget() {
      current = undefined;
    },
  };
}
