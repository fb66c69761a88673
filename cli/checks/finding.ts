import { explain } from '../errors.ts';

/** What a check found. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'fault';
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

export type Found = Omit<Finding, 'check'>;

/** Looks at one thing. `undefined`: it is not for this stack. */
export type Check<Context> = (context: Context) => Promise<Found | undefined>;

export const ok = (message: string): Found => ({ state: 'ok', message });
export const warning = (message: string, hint: string): Found => ({ state: 'warning', message, hint });
export const fault = (message: string, hint: string): Found => ({ state: 'fault', message, hint });

/** Without these, the others fail for the same reason. */
const NEEDED_BY_OTHERS: readonly string[] = ['region', 'credentials', 'ports', 'reachable', 'secret'];

/**
 * Runs checks by name, one after the other. A check that throws is a fault. A fault of one that the others need ends them.
 */
export async function runChecks<Context>(
  checks: Readonly<Record<string, Check<Context>>>,
  context: Context,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [check, run] of Object.entries(checks)) {
    const found = await run(context).catch((error: unknown): Found => {
      const { code, message, hint } = explain(error);
      return { state: 'fault', message: `${code}: ${message}`, ...(hint !== undefined && { hint }) };
    });
    if (found !== undefined) findings.push({ check, ...found });
    if (found?.state === 'fault' && NEEDED_BY_OTHERS.includes(check)) break;
  }
  return findings;
}
