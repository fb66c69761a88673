import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorAnswer, statusOfFailure } from '../../functions/operations-api/errors.ts';
import { ConnectorError } from '../../shared/errors/connector-error.ts';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import { readPage } from '../../tools/describe/pages/pages.ts';
import { repository } from './pasted.ts';

/** Literals of the form of a code that no caller, subscriber or reader of rejections ever gets. */
const INTERNAL = new Set([
  // Faults of the stack itself, for its logs: callers get INTERNAL.
  'ENVIRONMENT_INVALID',
  'EVENTS_NOT_PUBLISHED',
  'MESSAGES_NOT_SENT',
  'MESSAGE_BODY_DAMAGED',
  'RECORD_UNREADABLE',
  'WRITE_CONTENTION',
  // Why a message waits in its queue.
  'OUT_OF_TIME',
  'REQUEST_BUSY',
  'IMPORT_OVERTAKEN',
  // No codes: a value of DynamoDB, a placeholder, a status, the mark of an unknown row.
  'ALL_NEW',
  'HTTP_403',
  'HTTP_413',
  'REPLACE_ME',
  'UNKNOWN_OUTCOME',
]);

/** Codes whose status a route computes from more than the code; the examples of the page show some of them. */
const COMPUTED = new Set([
  'ORDERS_REFUSED',
  'ORDER_DECIDED_OTHERWISE',
  'ORDER_ID_INVALID',
  'ORDER_OUTCOME_UNKNOWN',
  'STORE_UNKNOWN',
]);

const source = globSync(['functions/**/*.ts', 'shared/**/*.ts'], { cwd: repository })
  .map((file) => readFileSync(join(repository, file), 'utf8'))
  .join('\n');
const httpApi = readPage('docs/http-api.md').text;
const pages = ['docs/events.md', 'docs/settings.md'].map((path) => readPage(path).text).join(httpApi);

test('the pages name every code that the code has', () => {
  const codes = [...source.matchAll(/'([A-Z]{2,}(?:_[A-Z0-9]+)+)'/g)].map(([, code]) => String(code));
  const missing = new Set(codes.filter((code) => !INTERNAL.has(code) && !pages.includes(`\`${code}\``)));
  expect([...missing]).toEqual([]);
});

describe('the table of errors in docs/http-api.md', () => {
  const rows = [...httpApi.matchAll(/^\| (\d{3}) \| ([^|]*) \|/gm)].flatMap(([, status, codes = '']) =>
    [...codes.matchAll(/`([A-Z_0-9]+)`/g)].map(([, code]) => ({
      code: String(code),
      status: Number(status),
    })),
  );

  test('names each code once', () => {
    const codes = rows.map(({ code }) => code);
    expect(codes.length).toBeGreaterThan(40);
    expect(new Set(codes).size).toBe(codes.length);
  });

  test.each(rows.filter(({ code }) => !COMPUTED.has(code)))(
    'gives $code the status $status, as the API does',
    ({ code, status }) => {
      expect(statusesOf(code)).toContain(status);
    },
  );
});

/** Every status with which the code may be answered. */
function statusesOf(code: string): number[] {
  const own = errorAnswer(new ConnectorError('', { code }), { query: {} });
  const raised = [...source.matchAll(new RegExp(`new HttpError\\(\\s*(\\d{3}),\\s*'${code}'`, 'g'))];
  const outcomes = ['refused', 'not-sent', 'unknown'] as const;
  if (own instanceof HttpError) return [own.status];
  if (raised.length > 0) return raised.map(([, status]) => Number(status));
  if (code === 'INTERNAL') return [500];
  if (code === 'TABLES_BUSY') return [503];
  return outcomes.map((outcome) => statusOfFailure({ code, status: undefined, outcome }));
}
