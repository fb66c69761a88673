import type { TraceStep } from '../../shared/trace/model.ts';

const OPEN = new Set(['open', 'sending']);
const FAILED = new Set(['rejected', 'failed', 'refused', 'unknown', 'unresolved']);
/** Steps that end an event or a part of it. */
const ENDS: ReadonlySet<TraceStep['what']> = new Set([
  'value.settled',
  'row.rejected',
  'request.ended',
  'batch.ended',
  'order.decision',
  'order.dropoff',
  'document.shipping-label',
  'document.invoice',
]);

/** Whether everything that an event asked for has an outcome. */
export function hasEnded(steps: readonly TraceStep[]): boolean {
  if (steps.some(({ outcome }) => outcome !== undefined && OPEN.has(outcome))) return false;
  const settled = new Set(steps.filter(({ what }) => what === 'value.settled').map(registerOf));
  if (steps.some((step) => step.what === 'value.sent' && !settled.has(registerOf(step)))) return false;
  return steps.some(({ what, outcome }) => ENDS.has(what) || outcome === 'superseded');
}

/** Whether a part was rejected, failed, or has an unknown outcome. */
export function hasFailed(steps: readonly TraceStep[]): boolean {
  return (
    steps
      // Another try may have succeeded.
      .filter(({ what }) => what !== 'request.tried')
      .some(({ what, outcome }) => what === 'row.rejected' || FAILED.has(outcome ?? ''))
  );
}

function registerOf({ storeClientId, target, register }: TraceStep): string {
  return JSON.stringify([storeClientId, target, register]);
}
