import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../../sandbox/openapi/document.ts';
import { useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();
const checkedIn = JSON.parse(
  readFileSync(new URL('../../../../sandbox/openapi.json', import.meta.url), 'utf8'),
);

describe('the OpenAPI document', () => {
  it('that is checked in is current', () => {
    expect(checkedIn).toEqual(openApiDocument());
  });

  it('is served', async () => {
    const response = await fetch(`${sandbox.url}/openapi.json`);
    expect(await response.json()).toEqual(checkedIn);
  });

  it('has the 20 endpoints of the spec, each once', () => {
    const operations = Object.values(checkedIn.paths).flatMap((path) => Object.values(path as object));
    const sections = operations.map(({ description }) => /Section 4\.(\d+) /.exec(description)?.[1]);
    expect(sections.map(Number).sort((left, right) => left - right)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  it('refers to components that it has', () => {
    const references = JSON.stringify(checkedIn).matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g);
    for (const [, kind = '', name = ''] of references)
      expect(checkedIn.components[kind]).toHaveProperty([name]);
  });
});
