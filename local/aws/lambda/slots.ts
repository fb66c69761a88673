/** A counting semaphore: at most `size` holders at a time; others wait in order. */
export function createSlots(size: number): { take(): Promise<() => void> } {
  let free = size;
  const waiting: Array<() => void> = [];

  function release(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return release;
    },
  };
}
