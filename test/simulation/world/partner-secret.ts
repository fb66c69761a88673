import type { SimulatedProcess } from '../engine/simulated-process.ts';

/** The partner's secret in Secrets Manager, with the cache of each process. */
export class PartnerSecret {
  value = 'secret-1';

  /** The cached secret of one process. */
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
