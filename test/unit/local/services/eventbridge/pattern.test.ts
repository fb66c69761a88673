import { describe, expect, test } from 'vitest';
import { compilePattern, type Json } from '../../../../../local/aws/services/eventbridge/pattern.ts';

const event: Json = {
  source: 'erp',
  'detail-type': 'stock.changed',
  detail: {
    count: 5,
    urgent: true,
    note: null,
    tags: ['red', 'Big'],
    bucket: { name: 'imports' },
    key: 'catalog/a.ndjson',
  },
};

function matches(pattern: object): boolean {
  return compilePattern(pattern)(event);
}

describe('an event pattern', () => {
  test.each<[string, object]>([
    ['one of several values', { source: ['shop', 'erp'] }],
    ['every field it names', { source: ['erp'], 'detail-type': ['stock.changed'] }],
    ['a nested field', { detail: { bucket: { name: ['imports'] } } }],
    ['an element of a list', { detail: { tags: ['red'] } }],
    ['a number, a boolean and null', { detail: { count: [5], urgent: [true], note: [null] } }],
    ['a prefix', { detail: { key: [{ prefix: 'catalog/' }] } }],
    ['a suffix', { detail: { key: [{ suffix: '.ndjson' }] } }],
    ['a wildcard', { detail: { key: [{ wildcard: 'cat*/*.ndjson' }] } }],
    ['a text whatever its case', { detail: { tags: [{ 'equals-ignore-case': 'BIG' }] } }],
    ['anything but a list', { source: [{ 'anything-but': ['marketplace.connector'] }] }],
    ['anything but a prefix', { source: [{ 'anything-but': { prefix: 'aws.' } }] }],
    ['a numeric range', { detail: { count: [{ numeric: ['>', 0, '<=', 5] }] } }],
    ['a field that is there', { detail: { note: [{ exists: true }] } }],
    ['a field that is not there', { detail: { missing: [{ exists: false }] } }],
    [
      'one of the alternatives of $or',
      { $or: [{ source: ['shop'] }, { 'detail-type': [{ prefix: 'stock' }] }] },
    ],
  ])('matches %s', (_name, pattern) => {
    expect(matches(pattern)).toBe(true);
  });

  test.each<[string, object]>([
    ['another value', { source: ['shop'] }],
    ['a field that is missing', { detail: { missing: ['x'] } }],
    ['the text of a number', { detail: { count: ['5'] } }],
    ['what it excludes', { source: [{ 'anything-but': ['erp'] }] }],
    ['anything-but of a field that is missing', { detail: { missing: [{ 'anything-but': ['x'] }] } }],
    ['a number out of range', { detail: { count: [{ numeric: ['>', 5] }] } }],
    ['a suffix in the middle', { detail: { key: [{ suffix: 'catalog' }] } }],
    ['none of the alternatives of $or', { $or: [{ source: ['shop'] }, { source: ['other'] }] }],
  ])('does not match %s', (_name, pattern) => {
    expect(matches(pattern)).toBe(false);
  });

  test.each<[string, unknown]>([
    ['a filter that is not known', { source: [{ cidr: '10.0.0.0/24' }] }],
    ['a numeric filter without a comparison', { detail: { count: [{ numeric: [] }] } }],
    ['a value that is not in a list', { source: 'erp' }],
    ['nothing in it', {}],
    ['an empty part', { detail: {} }],
    ['an empty list', { source: [] }],
  ])('with %s is refused', (_name, pattern) => {
    expect(() => compilePattern(pattern)).toThrow();
  });
});
