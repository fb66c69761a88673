import { expect, test } from 'vitest';
import { busEvent } from '../../../../../local/aws/services/eventbridge/event.ts';
import { entryOutcome, readEntries } from '../../../../../local/aws/services/eventbridge/put-events.ts';
import type { RuleTarget } from '../../../../../local/aws/services/eventbridge/rule-target.ts';
import { inputFault, targetInput } from '../../../../../local/aws/services/eventbridge/target-input.ts';

const event = busEvent({
  source: 'erp',
  detailType: 'order "now"',
  detail: { order: { id: 7, lines: ['a', 'b'] } },
  time: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
});
const target = { Id: 't', Arn: 'arn:aws:sqs:us-east-1:000000000000:q' };
const ruleArn = 'arn:aws:events:us-east-1:000000000000:rule/bus/orders';

test('a target receives the event unchanged, with its time in whole seconds', () => {
  expect(JSON.parse(targetInput(target, event, ruleArn))).toEqual({ ...event, time: '2026-01-02T03:04:05Z' });
});

test('a target receives a detail that nests thousands of levels as it was put', () => {
  const Detail = `{"order": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
  const [entry] = readEntries({ Entries: [{ Source: 'erp', DetailType: 'order', Detail }] });
  const outcome = entry && entryOutcome(entry, 0);
  const put = outcome && 'event' in outcome ? outcome.event : event;
  expect(targetInput(target, put, ruleArn)).toBe(
    `${JSON.stringify({ ...put, detail: undefined }).slice(0, -1)},"detail":${Detail}}`,
  );
});

test('a constant input replaces the event', () => {
  expect(targetInput({ ...target, Input: '{"tick":true}' }, event, ruleArn)).toBe('{"tick":true}');
});

test('an input path selects a part', () => {
  expect(targetInput({ ...target, InputPath: '$.detail.order.lines[1]' }, event, ruleArn)).toBe('"b"');
});

test('a template inserts values as JSON in its structure and as text in its strings', () => {
  const InputTransformer = {
    InputPathsMap: { order: '$.detail.order', type: '$.detail-type' },
    InputTemplate: '{"order": <order>, "type": <type>, "text": "<type> by <aws.events.rule-name>"}',
  };
  expect(JSON.parse(targetInput({ ...target, InputTransformer }, event, ruleArn))).toEqual({
    order: { id: 7, lines: ['a', 'b'] },
    type: 'order "now"',
    text: 'order "now" by orders',
  });
});

const InputTemplate = '"<type>"';

test.each<[string, Partial<RuleTarget>, string]>([
  ['an input path of a kind that is not known', { InputPath: '$..id' }, '$..id'],
  [
    'such a path for a template',
    { InputTransformer: { InputPathsMap: { type: '$[*]' }, InputTemplate } },
    '$[*]',
  ],
  [
    'a template with a name that has no path',
    { InputTransformer: { InputPathsMap: {}, InputTemplate } },
    '<type>',
  ],
  ['a constant that is not JSON', { Input: 'tick' }, 'not JSON'],
  ['two inputs', { Input: '{}', InputPath: '$' }, 'Only one of'],
])('%s is an invalid input', (_name, input, fault) => {
  expect(inputFault({ ...target, ...input })).toContain(fault);
});

test.each<[string, Partial<RuleTarget>]>([
  ['a path', { InputPath: '$.detail.order.lines[1]' }],
  [
    'a template of paths and of what the bus knows',
    {
      InputTransformer: {
        InputPathsMap: { type: '$.detail-type' },
        InputTemplate: '"<type> by <aws.events.rule-arn>"',
      },
    },
  ],
])('%s is a valid input', (_name, input) => {
  expect(inputFault({ ...target, ...input })).toBeUndefined();
});
