import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { functionNames } from '../../infra/function-names.ts';
import { loadedBy, readImportGraph } from '../../tools/imports/import-graph.ts';
import { connectorTemplate } from './support/stacks.ts';
import { readable } from './support/template.ts';

const root = join(import.meta.dirname, '..', '..');
const template = connectorTemplate();
const graph = readImportGraph(root);
const runbook = readFileSync(join(root, 'docs', 'runbook.md'), 'utf8');

/** The source of all files that a function's handler loads. */
const sourceOf = (service: string) =>
  loadedBy(graph, [`functions/${service}/handler.ts`])
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
const sources = new Map(functionNames.map((name) => [name as string, sourceOf(name)]));

interface Widget {
  readonly x: number;
  readonly y: number;
  readonly properties: { readonly title: string; readonly region: unknown; readonly metrics: unknown[][] };
}

/** The dashboard's body, with each reference as `<LogicalId>` or `<LogicalId.Attribute>`. */
const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
const body: { widgets: Widget[] } = JSON.parse(
  dashboard?.Properties.DashboardBody['Fn::Join'][1]
    .map((part: unknown) => (typeof part === 'string' ? part : `<${readable(part)}>`))
    .join(''),
);
const metrics = body.widgets.flatMap(({ properties: { title, metrics } }) =>
  metrics
    .filter(([first]) => typeof first === 'string')
    .map((metric) => ({ title, metric: metric.map(String) })),
);
const ofNamespace = (namespace: string) => metrics.filter(({ metric: [first] }) => first === namespace);
const idsOf = (type: string) =>
  Object.keys(template.findResources(type)).map((id) => id.replace(/[0-9A-F]{8}$/, ''));

describe('the dashboard', () => {
  it('shows the flow from left to right', () => {
    const inOrder = body.widgets.toSorted((a, b) => a.y - b.y || a.x - b.x);
    expect(inOrder.map(({ properties }) => properties.title)).toEqual([
      'Events in',
      'Queues: age of the oldest message',
      'Lanes',
      'Requests by outcome',
      'Batches and drift',
      'Webhooks',
      'Dead letters',
      'Errors of functions',
    ]);
  });

  it('reads metrics of the region that the stack is in', () => {
    expect(new Set(body.widgets.map(({ properties }) => properties.region))).toEqual(
      new Set(['<AWS::Region>']),
    );
  });

  it('shows of queues and functions only those of the stack, and all dead-letter queues and functions', () => {
    const queues = idsOf('AWS::SQS::Queue');
    for (const { metric } of ofNamespace('AWS/SQS'))
      expect(queues.map((id) => `<${id}.QueueName>`)).toContain(metric[3]);
    const named = (title: string) =>
      metrics.filter((one) => one.title === title).map(({ metric }) => metric[3]);
    expect(named('Dead letters').sort()).toEqual(
      queues
        .filter((id) => id.includes('DeadLetters'))
        .map((id) => `<${id}.QueueName>`)
        .sort(),
    );
    expect(named('Errors of functions').sort()).toEqual(
      idsOf('AWS::Lambda::Function')
        .map((id) => `<${id}>`)
        .sort(),
    );
  });

  it.each(ofNamespace('MarketplaceConnector').map(({ title, metric }) => [metric[1], metric[3], title]))(
    'shows %s, which the %s reports',
    (name = '', service = '') => {
      expect(sources.get(service)).toContain(`'${name}'`);
    },
  );

  it('has no widget without a metric', () => {
    for (const { properties } of body.widgets) expect(properties.metrics.length).toBeGreaterThan(0);
    expect(ofNamespace('MarketplaceConnector').length).toBeGreaterThan(30);
  });
});

const queries = Object.values(template.findResources('AWS::Logs::QueryDefinition')).map(({ Properties }) => ({
  name: String(Properties.Name),
  text: String(Properties.QueryString),
  functions: Properties.LogGroupNames.map(readable).map((id: string) => id.replace(/Logs$/, '')),
}));

/** Fields that CloudWatch finds by itself, also in the report that Lambda writes at the end of an invocation. */
const FOUND = ['@timestamp', '@message', '@log', '@type', '@duration', '@maxMemoryUsed', '@requestId'];
const WORDS = /^(and|or|like|as|by|asc|desc|count|count_distinct|latest|pct|fields|filter|stats|sort|limit)$/;

/** Names in a query that are fields of log lines: no literal, no name that the query gives itself. */
function fieldsOf(text: string): string[] {
  const own = [...text.matchAll(/ as (\w+)/g)].map(([, name]) => name);
  const bare = text.replace(/"[^"]*"|\/[^/]*\//g, '');
  const names = bare.match(/@?[a-z_][\w.]*/gi) ?? [];
  return [...new Set(names)].filter((name) => !WORDS.test(name) && !own.includes(name));
}

describe('the saved queries', () => {
  it('are found under the name of the stack', () => {
    for (const { name } of queries) expect(name).toMatch(/^MarketplaceConnector\/[a-z-]+$/);
    expect(queries.length).toBeGreaterThan(5);
  });

  it.each(queries)('$name reads fields that the functions log', ({ text, functions }) => {
    const logged = [...sources]
      .filter(([service]) => functions.includes(service.replace(/(?:^|-)(\w)/g, (_, c) => c.toUpperCase())))
      .map(([, source]) => source);
    expect(logged).toHaveLength(functions.length);
    for (const field of fieldsOf(text)) {
      if (FOUND.includes(field)) continue;
      const name = field.split('.').at(-1);
      expect(
        logged.some((source) => new RegExp(`\\b${name}\\b`).test(source)),
        `a function logs ${field}`,
      ).toBe(true);
    }
  });

  it.each(queries)('$name asks for messages that the functions log', ({ text }) => {
    for (const [, message] of text.matchAll(/message = "([^"]+)"/g)) {
      expect(
        [...sources.values()].some((source) => source.includes(`'${message}'`)),
        message,
      ).toBe(true);
    }
  });

  it.each(queries)('$name is in the runbook', ({ name }) => {
    expect(runbook).toContain(`\`${name.split('/')[1]}\``);
  });
});
