/**
 * Which requests an invocation may still begin: the first one always, so that a command ends however short the time; the
 * others until `stopAt`.
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

  /** A request was sent, or ended without being sent. */
  gotOn(): void {
    this.#hasGotOn = true;
  }
}
