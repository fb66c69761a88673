import type { LaneRequest, Picked } from './pick-request.ts';

interface Waiting {
  readonly resolve: (request: LaneRequest | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Chooses the requests of one lane, one choice after the other, each for all places that have come up. */
export class Chooser {
  readonly #pick: (requests: number) => Promise<Picked>;
  readonly #waiting: Waiting[] = [];
  #isChoosing = false;

  /** `pick`: chooses so many requests at most; `isMoreDue` has it asked again. */
  constructor(pick: (requests: number) => Promise<Picked>) {
    this.#pick = pick;
  }

  /** What leaves next; `undefined` when nothing does. */
  choose(): Promise<LaneRequest | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (!this.#isChoosing) void this.#chooseForAll();
    });
  }

  async #chooseForAll(): Promise<void> {
    this.#isChoosing = true;
    while (this.#waiting.length > 0) {
      const asking = this.#waiting.length;
      try {
        const { requests, isMoreDue } = await this.#pick(asking);
        for (const request of requests) this.#waiting.shift()?.resolve(request);
        // What was found needed no request: the next one may find more.
        const withNothing = isMoreDue ? Number(requests.length === 0) : asking - requests.length;
        for (const { resolve } of this.#waiting.splice(0, withNothing)) resolve(undefined);
      } catch (error) {
        for (const { reject } of this.#waiting.splice(0)) reject(error);
      }
    }
    this.#isChoosing = false;
  }
}
