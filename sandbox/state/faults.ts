import type { WebhookDisturbance } from '../batches/batch.ts';

export interface Fault {
  /** Answer with this status instead of the effect. */
  status?: number | undefined;
  code?: string | undefined;
  /** Wait before the effect, which happens even if the caller has gone. */
  delayMs?: number | undefined;
  /** Cut the connection before or after the effect. */
  drop?: 'before' | 'after' | undefined;
  /** Take effect, then answer with a broken body. */
  malformed?: true | undefined;
  /** Take effect, then answer with this content type. */
  contentType?: string | undefined;
  /** Take effect, then answer with a body of more than 10 MiB. */
  oversized?: true | undefined;
  /** Accept the rows of an ASYNC call, and never apply them. */
  ignored?: true | undefined;
  /** Answer 429 with this `Retry-After`, in seconds. */
  retryAfter?: number | undefined;
  /** Disturb the final summary of the call. */
  webhook?: WebhookDisturbance | undefined;
}

export interface FaultRule {
  /** Endpoint path below `/api/v1`; `*` stands for any run of characters. */
  path?: string | undefined;
  method?: string | undefined;
  /** Number of requests that the fault still acts on. */
  times: number;
  fault: Fault;
}

/** The waiting faults, in the order of their creation. Each request meets at most one. */
export class FaultPlan {
  #rules: FaultRule[] = [];

  add(rule: FaultRule): void {
    this.#rules.push({ ...rule });
  }

  /** The faults that wait for a request. */
  rules(): readonly FaultRule[] {
    return this.#rules;
  }

  clear(): void {
    this.#rules = [];
  }

  /** Takes the fault that acts on this request, and counts it down. */
  take(method: string, path: string): Fault | undefined {
    const rule = this.#rules.find((candidate) => matches(candidate, method, path));
    if (rule === undefined) return undefined;
    rule.times -= 1;
    if (rule.times <= 0) this.#rules = this.#rules.filter((other) => other !== rule);
    return rule.fault;
  }
}

function matches(rule: FaultRule, method: string, path: string): boolean {
  if (rule.method !== undefined && rule.method.toUpperCase() !== method) return false;
  return rule.path === undefined || wildcard(rule.path).test(path);
}

function wildcard(pattern: string): RegExp {
  return new RegExp(`^${pattern.split('*').map(literally).join('.*')}$`);
}

function literally(text: string): string {
  return text.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&');
}
