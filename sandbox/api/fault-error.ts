import { ApiError, codeOfStatus } from '../errors.ts';
import type { Fault } from '../state/faults.ts';
import type { Endpoint } from './endpoint.ts';

/** The error that a fault injects, with the specified context of its code; undefined if the fault injects no error. */
export function faultError(fault: Fault, endpoint: Endpoint): ApiError | undefined {
  if (fault.retryAfter !== undefined) {
    return new ApiError('RATE_LIMITED', { headers: { 'retry-after': String(fault.retryAfter) } });
  }
  if (fault.status === undefined) return undefined;
  const code = fault.code ?? codeOfStatus(fault.status);
  const context = contextOf(code, endpoint);
  return new ApiError(code, { status: fault.status, ...(context ? { context } : {}) });
}

function contextOf(code: string, endpoint: Endpoint): Record<string, unknown> | undefined {
  if (code === 'SYS_UPS_001') return { retryable: true };
  if (code !== 'SYS_DEP_503') return undefined;
  if (endpoint.path.endsWith('/shipping-label')) return { operation: 'awb_generation' };
  if (endpoint.path.endsWith('/invoice')) return { operation: 'invoice_generation' };
  return undefined;
}
