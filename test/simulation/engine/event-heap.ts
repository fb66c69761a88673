/** An event at a moment of virtual time; `rank` orders events at the same moment. */
export interface TimedEvent {
  readonly time: number;
  readonly rank: number;
  readonly run: () => void;
}

/** Binary heap of events, the earliest first. */
export class EventHeap {
  readonly #events: TimedEvent[] = [];

  get size(): number {
    return this.#events.length;
  }

  push(event: TimedEvent): void {
    const events = this.#events;
    let index = events.push(event) - 1;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = events[parentIndex];
      if (parent === undefined || !isEarlier(event, parent)) break;
      events[index] = parent;
      index = parentIndex;
    }
    events[index] = event;
  }

  pop(): TimedEvent | undefined {
    const events = this.#events;
    const first = events[0];
    const last = events.pop();
    if (last !== undefined && events.length > 0) this.#sink(last);
    return first;
  }

  /** Replaces the first event by `event` and moves it down to its place. */
  #sink(event: TimedEvent): void {
    const events = this.#events;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const [a, b] = [events[left], events[left + 1]];
      const childIndex = a !== undefined && b !== undefined && isEarlier(b, a) ? left + 1 : left;
      const child = events[childIndex];
      if (child === undefined || !isEarlier(child, event)) break;
      events[index] = child;
      index = childIndex;
    }
    events[index] = event;
  }
}

function isEarlier(a: TimedEvent, b: TimedEvent): boolean {
  return a.time === b.time ? a.rank < b.rank : a.time < b.time;
}
