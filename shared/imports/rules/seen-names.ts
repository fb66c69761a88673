/** Most names that are remembered: 16 MB. */
const MOST_NAMES = 1 << 20;
const FIRST_SLOTS = 1 << 10;

/** The names that rows have. Remembers 53 bits of each, so that a million fit into little memory. */
export class SeenNames {
  /** Hashes by their slots; 0 is free. At most half of the slots are used. */
  #slots = new Float64Array(FIRST_SLOTS);
  #count = 0;

  /** Adds a name. @returns whether it was seen before */
  add(name: string): boolean {
    const hash = hashOf(name);
    const slot = this.#slotOf(hash);
    if (this.#slots[slot] === hash) return true;
    if (this.#count === MOST_NAMES) return false;
    this.#slots[slot] = hash;
    this.#count += 1;
    if (2 * this.#count > this.#slots.length) this.#grow();
    return false;
  }

  #slotOf(hash: number): number {
    let slot = hash % this.#slots.length;
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== hash) slot = (slot + 1) % this.#slots.length;
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(2 * before.length);
    for (const hash of before) if (hash !== 0) this.#slots[this.#slotOf(hash)] = hash;
  }
}

const LOW_BITS = 0x1_0000_0000;
const HIGH_MASK = 0x1f_ffff;

/** cyrb53 by bryc, public domain: 53 bits, not for secrets. */
function hashOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return LOW_BITS * (HIGH_MASK & low) + (high >>> 0) || 1;
}
