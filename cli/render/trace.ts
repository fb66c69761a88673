import type { Trace, TraceStep } from '../../shared/trace/model.ts';
import type { Style, Terminal } from '../terminal.ts';
import { table } from './table.ts';
import { elapsed } from './words.ts';

const GOOD = new Set(['accepted', 'completed', 'done', 'stored', 'applied']);
const BAD = new Set([
  'rejected',
  'failed',
  'refused',
  'unresolved',
  'unknown',
  'missing',
  'completed_with_errors',
]);

/** A trace as a timeline: the time of each step, and how long after the first one it was. */
export function renderTrace({ subject, steps }: Trace, terminal: Pick<Terminal, 'width' | 'style'>): string {
  const [first] = steps;
  const start = Date.parse(first?.at ?? '');
  const stores = new Set(steps.map(({ storeClientId }) => storeClientId));
  const title = Object.entries({ ...subject, storeClientId: [...stores].join(', ') });
  const shownBatches = new Set<string>();
  const rows = steps.map((step) => {
    const { batchId, ...rest } = step;
    const isNewBatch = batchId !== undefined && !shownBatches.has(batchId);
    if (isNewBatch) shownBatches.add(batchId);
    return [
      step.at.slice(11, 23),
      step === first ? '' : elapsed(Date.parse(step.at) - start),
      step.what,
      [
        ...factsOf(rest, terminal),
        ...(isNewBatch ? [`batch ${batchId}`] : []),
        ...(stores.size > 1 ? [`store ${step.storeClientId}`] : []),
      ].join(' · '),
    ];
  });
  const day = first?.at.slice(0, 10) ?? '';
  const heading = terminal.style('bold', title.map(([name, value]) => `${name} ${value}`).join(', '));
  return `${heading}\n${table(terminal, [day, 'AFTER', 'STEP', 'FACTS'], rows)}`;
}

function factsOf(step: TraceStep, { style }: Pick<Terminal, 'style'>): string[] {
  const { detailType, target, register, value, outcome, code, message, field, rows } = step;
  const { sku, id, externalId, orderId, invoiceNumber, rowIndex } = step;
  const name = target ?? sku ?? id ?? externalId ?? orderId ?? invoiceNumber;
  const facts = [
    outcome && style(styleOf(outcome), outcome),
    code && style('red', code),
    detailType,
    [name, register && `${register} = ${value ?? 'none'}`].filter(Boolean).join(' '),
    rowIndex === undefined ? undefined : `row ${rowIndex}`,
    field,
    rows &&
      Object.entries(rows)
        .map(([kind, count]) => `${kind} ${count}`)
        .join(', '),
    message,
  ];
  return facts.filter((fact): fact is string => Boolean(fact));
}

function styleOf(outcome: string): Style {
  if (GOOD.has(outcome)) return 'green';
  return BAD.has(outcome) ? 'red' : 'yellow';
}
