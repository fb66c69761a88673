/** Cuts a stream of text into lines; what has no line end yet waits for it, or for the flush. */
export function createLineSplitter(onLine: (line: string) => void): {
  push(text: string): void;
  flush(): void;
} {
  let rest = '';
  return {
    push(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    },
    flush() {
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}
