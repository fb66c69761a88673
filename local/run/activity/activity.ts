import { setTimeout as pause } from 'node:timers/promises';
import type { Observer } from '../../aws/index.ts';
import type { LogLine } from '../../aws/model.ts';
import type { ConnectorRun } from '../connector-run.ts';
import type { RunOptions } from '../run-options.ts';
import type { SandboxRequest } from '../sandbox-controls.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type ActivityLine, formatActivity } from './activity-line.ts';
import { callLines } from './call-lines.ts';
import { eventLines } from './event-lines.ts';
import { failureLine, shortNames } from './log-lines.ts';
import { requestLine } from './request-line.ts';
import { createRequestWatcher } from './request-watcher.ts';

const POLL_EVERY_MS = 250;

export interface Activity {
  /** Shows failures, and with `verbose` every line of the run's log. */
  log(line: LogLine): void;
  readonly observer: Observer;
  /** Shows a line for each event, call, request, batch and rejection, unless `quiet`. Resolves when `signal` aborts. */
  show(run: ConnectorRun): Promise<void>;
}

/** @param options.signal ends all output when it aborts, as stopping the run causes failures */
export function createActivity(options: {
  terminal: Pick<Terminal, 'say' | 'paint'>;
  output: RunOptions['output'];
  signal: AbortSignal;
}): Activity {
  const { terminal, output, signal } = options;
  let outputs: Readonly<Record<string, string>> | undefined;
  let newRequests: (() => Promise<SandboxRequest[]>) | undefined;
  let written = Promise.resolve();

  function write(lines: readonly ActivityLine[], time = new Date()): void {
    if (signal.aborted) return;
    for (const line of lines) terminal.say(formatActivity(line, time, terminal.paint));
  }

  /** Writes lines, but first the requests up to now, so that a request comes before the effects of its answer. */
  function enqueue(lines: readonly ActivityLine[]): Promise<void> {
    const look = newRequests;
    if (look === undefined) return written;
    const time = new Date();
    written = written.then(async () => {
      const requests = await look().catch(() => []);
      for (const request of requests) write([requestLine(request)], new Date(request.time));
      write(lines, time);
    });
    return written;
  }

  return {
    log(line) {
      const failure = failureLine(line);
      if (output === 'verbose') {
        if (!signal.aborted) terminal.say(`${shortNames(line.source)}: ${line.message}`);
      } else if (failure !== undefined) write([failure]);
    },
    observer: {
      event: (event, bus) => void enqueue(eventLines(event, bus, outputs)),
      call: (call) => void enqueue(callLines(call)),
    },
    async show({ controls, local }) {
      outputs = local.outputs;
      if (output !== 'quiet')
        newRequests = controls === undefined ? async () => [] : await createRequestWatcher(controls);
      while (!signal.aborted) {
        await enqueue([]);
        await pause(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}
