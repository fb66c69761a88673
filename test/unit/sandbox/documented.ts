import { expect } from 'vitest';
import { ENDPOINTS } from '../../../sandbox/resources/index.ts';
import type { Answered } from './partner.ts';

/** Holds a successful answer against the schema that documents its endpoint. */
export function expectDocumented(line: string, { status, json }: Answered): void {
  const [method = '', pathAndQuery = ''] = line.split(' ');
  const [path = ''] = pathAndQuery.split('?');
  const endpoint = ENDPOINTS.find(
    (candidate) => candidate.method === method && matches(candidate.path, path),
  );
  if (status !== 200 || json === undefined || endpoint?.answer === undefined) return;
  const answer = endpoint.envelope === 'bare' ? json : json.data;
  expect(endpoint.answer.safeParse(answer).error?.issues, `answer of ${line}`).toBeUndefined();
}

function matches(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
}
