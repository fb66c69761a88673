import type { SimulatedProcess } from '../engine/simulated-process.ts';

/** The partner's secret: what Secrets Manager holds, and what each process remembers of it. */
export class PartnerSecret {
  value = 'secret-1';

  /** A process's own cached view. */
  readerOf(process: SimulatedProcess): { read(options?: { fresh?: boolean }): Promise<string> } {
    let known: string | undefined;
    return {
      read: async ({ fresh = false } = {}) => {
        if (fresh) known = undefined;
        known ??= await process.step('secret.read', () => this.value);
        return known;
      },
    };
  }
}
