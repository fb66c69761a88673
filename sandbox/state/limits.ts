const WINDOW_MS = 1000;

/** Limits of each partner; undefined means no limit. */
export class Limits {
  requestsPerSecond: number | undefined;
  maxItems: number | undefined;
  readonly #admitted = new Map<string, number[]>();

  /** Counts a request in the partner's sliding window of 1 s, unless the window is full. `now`: epoch ms. */
  admit(partnerClientId: string, now: number): boolean {
    if (this.requestsPerSecond === undefined) return true;
    const inWindow = (this.#admitted.get(partnerClientId) ?? []).filter((time) => time > now - WINDOW_MS);
    const admitted = inWindow.length < this.requestsPerSecond;
    if (admitted) inWindow.push(now);
    this.#admitted.set(partnerClientId, inWindow);
    return admitted;
  }
}
