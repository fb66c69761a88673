import { ConnectorError } from '../errors/connector-error.ts';

/**
 * Which requests an invocation may still begin: the first ones always, until it has got on, so that a command ends
 * however short the time; the others until `stopAt`.
 */
export class RequestTime {
  readonly #clock: { now(): number };
  readonly #stopAt: number;
  #hasGotOn = false;

  /** @param stopAt epoch ms */
  constructor(clock: { now(): number }, stopAt: number) {
    this.#clock = clock;
    this.#stopAt = stopAt;
  }

  get isOver(): boolean {
    return this.#hasGotOn && this.#clock.now() >= this.#stopAt;
  }

  /** A request has left, or something was done that no later delivery has to do again. */
  gotOn(): void {
    this.#hasGotOn = true;
  }
}

/** Why the rest of a long command waits: OUT_OF_TIME, retryable. */
export function outOfTime(commandId: string): ConnectorError {
  return new ConnectorError(`what is left of ${commandId} is for another invocation`, {
    code: 'OUT_OF_TIME',
    retryable: true,
  });
}
