export interface LineSplitter {
  push(text: string): void;
  /** Emits the last line if it has no line end. */
  flush(): void;
}

/** Cuts a stream of text into lines. */
export function createLineSplitter(onLine: (line: string) => void): LineSplitter {
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
