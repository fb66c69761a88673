import type { Simulation } from '../../engine/simulation.ts';

/** Values by place, with those that they had. */
export class RememberedValues extends Map<string, number | null> {
  readonly #simulation: Simulation;
  readonly #before = new Map<string, { until: number; value: number | null | undefined }[]>();

  constructor(simulation: Simulation) {
    super();
    this.#simulation = simulation;
  }

  override set(place: string, value: number | null): this {
    const before = this.#before?.get(place) ?? [];
    this.#before?.set(place, [...before, { until: this.#simulation.now, value: this.get(place) }]);
    return super.set(place, value);
  }

  /** The value at a time, epoch ms. */
  at(place: string, time: number): number | null | undefined {
    const later = this.#before.get(place)?.find(({ until }) => until > time);
    return later === undefined ? this.get(place) : later.value;
  }

  /** The value before the present one. */
  previous(place: string): number | null | undefined {
    return this.#before.get(place)?.at(-1)?.value;
  }

  /** Gives a place another name. */
  move(from: string, to: string): void {
    const [value, before] = [this.get(from), this.#before.get(from)];
    if (value === undefined || from === to) return;
    super.set(to, value);
    this.#before.set(to, before ?? []);
    this.delete(from);
    this.#before.delete(from);
  }
}
