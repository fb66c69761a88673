import { oneLine } from '../../shared/collections/visible.ts';
import type { Trace, TraceStep } from '../../shared/trace/model.ts';
import type { Style, Terminal } from '../terminal.ts';
import { table } from './table.ts';
import { elapsed } from './words.ts';
import { zoned } from './zone.ts';

type Tone = 'good' | 'bad' | 'open';

/** A fact of a step in words; an outcome has a tone. */
interface Fact {
  readonly text: string;
  readonly tone?: Tone;
  /** A time that belongs to it, ISO 8601. */
  readonly at?: string;
}

/** A trace with its times and facts in words. */
export interface Timeline {
  /** The subject and its stores, by name. */
  readonly title: readonly (readonly [name: string, value: string])[];
  readonly steps: readonly {
    /** ISO 8601. */
    readonly at: string;
    /** Since the first step, such as `+40 ms`; empty for the first. */
    readonly after: string;
    readonly what: string;
    readonly facts: readonly Fact[];
    /** The first step of a batch names it. */
    readonly batchId?: string;
  }[];
}

const GOOD = new Set(['accepted', 'completed', 'stored', 'applied']);
const BAD = new Set([
  'rejected',
  'failed',
  'refused',
  'unresolved',
  'unknown',
  'missing',
  'completed_with_errors',
  'contradicted',
]);

const STYLES: Readonly<Record<Tone, Style>> = { good: 'green', bad: 'red', open: 'yellow' };

/** A trace as a timeline: the time of each step, and how long after the first one it was. */
export function timelineOf({ subject, steps }: Trace): Timeline {
  const [first] = steps;
  const start = Date.parse(first?.at ?? '');
  const stores = new Set(steps.map(({ storeClientId }) => storeClientId));
  const shownBatches = new Set<string>();
  return {
    title: Object.entries({ ...subject, storeClientId: [...stores].join(', ') }),
    steps: steps.map((step) => {
      const { batchId, at, what } = step;
      const isNewBatch = batchId !== undefined && !shownBatches.has(batchId);
      if (isNewBatch) shownBatches.add(batchId);
      return {
        at,
        what,
        after: step === first ? '' : elapsed(Date.parse(at) - start),
        facts: [...factsOf(step), ...(stores.size > 1 ? [{ text: `store ${step.storeClientId}` }] : [])],
        ...(isNewBatch && { batchId }),
      };
    }),
  };
}

/** The timeline as a table for the terminal. */
export function renderTrace(
  trace: Trace,
  terminal: Pick<Terminal, 'width' | 'style'>,
  timeZone = 'UTC',
): string {
  const { title, steps } = timelineOf(trace);
  const times = steps.map(({ at }) => zoned(at, timeZone));
  const day = times[0]?.day ?? '';
  const rows = steps.map(({ after, what, facts, batchId }, index) => [
    // Each day with its date: that of the first is above.
    times[index]?.day === (times[index - 1] ?? times[0])?.day
      ? (times[index]?.clock ?? '')
      : `${times[index]?.day} ${times[index]?.clock}`,
    after,
    what,
    [
      ...facts.map(({ text, tone, at }) => {
        const said = at === undefined ? text : `${text} ${clockOf(at, times[index]?.day, timeZone)}`;
        return tone === undefined ? said : terminal.style(STYLES[tone], said);
      }),
      ...(batchId === undefined ? [] : [`batch ${batchId}`]),
    ].join(' · '),
  ]);
  const heading = terminal.style(
    'bold',
    oneLine(title.map(([name, value]) => `${name} ${value}`).join(', ')),
  );
  return `${heading}\n${table(terminal, [`${day} ${timeZone}`, 'AFTER', 'STEP', 'FACTS'], rows)}`;
}

/** The time, with its date unless that is `day`. */
function clockOf(at: string, day: string | undefined, timeZone: string): string {
  const { day: its, clock } = zoned(at, timeZone);
  return its === day ? clock : `${its} ${clock}`;
}

function factsOf(step: TraceStep): Fact[] {
  const { detailType, target, register, value, outcome, code, message, field, rows } = step;
  const { sku, id, externalId, orderId, invoiceNumber, rowIndex } = step;
  const { decision, reasonCode, reason, status, until, what, requestId } = step;
  const name = target ?? sku ?? id ?? externalId ?? orderId ?? invoiceNumber;
  const facts: Partial<Fact>[] = [
    outcome === undefined ? {} : { text: outcome, tone: toneOf(outcome) },
    { text: decision ?? '' },
    code === undefined ? {} : { text: code, tone: 'bad' },
    { text: status === undefined ? '' : `status ${status}` },
    { text: [reasonCode, reason].filter(Boolean).join(': ') },
    { text: detailType ?? '' },
    { text: [name, register && `${register} = ${value ?? 'none'}`].filter(Boolean).join(' ') },
    { text: rowIndex === undefined ? '' : `row ${rowIndex}` },
    { text: field ?? '' },
    {
      text: Object.entries(rows ?? {})
        .map(([kind, count]) => `${kind} ${count}`)
        .join(', '),
    },
    { text: message ?? '' },
    // The marketplace's support asks for it.
    { text: requestId !== undefined && what.startsWith('request.') ? `request ${requestId}` : '' },
    until === undefined ? {} : { text: 'next try', tone: 'open', at: until },
  ];
  return facts.filter((fact): fact is Fact => Boolean(fact.text));
}

function toneOf(outcome: string): Tone {
  if (GOOD.has(outcome)) return 'good';
  return BAD.has(outcome) ? 'bad' : 'open';
}
