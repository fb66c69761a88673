import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { operationsRoutes } from '../../../infra/routes.ts';
import { incomingDetailSchemas } from '../../../shared/events/incoming.ts';
import { outgoingDetailSchemas } from '../../../shared/events/outgoing.ts';
import { currentDocuments, describedRoutes, generatedDirectory } from '../../../tools/describe/documents.ts';
import { openApiDocument } from '../../../tools/describe/openapi.ts';
import { asyncApiDocument } from '../../../tools/describe/published.ts';

const documents = currentDocuments();
const checkedIn = readdirSync(generatedDirectory, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(generatedDirectory.length + 1));

describe('the published documents', () => {
  it('are the only files in their folder (else: npm run describe)', () => {
    expect(checkedIn.sort()).toEqual(Object.keys(documents).sort());
  });

  it.each(Object.entries(documents))('include a current %s (else: npm run describe)', (path, document) => {
    const text = readFileSync(join(generatedDirectory, path), 'utf8');
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
  });
});

describe('the OpenAPI document', () => {
  const routes = describedRoutes();
  const document = openApiDocument(routes) as { paths: Record<string, Record<string, Operation>> };
  interface Operation {
    readonly operationId: string;
    readonly summary?: string;
    readonly parameters?: { name: string; in: string; required: boolean }[];
  }

  test('describes exactly the routes that the stack declares', () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual([...operationsRoutes].sort());
  });

  test('gives each operation a unique name', () => {
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(routes.map(({ key }) => key))('declares every path parameter of %s as required', (key) => {
    const [method = '', path = ''] = key.split(' ');
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const parameters = document.paths[path]?.[method.toLowerCase()]?.parameters ?? [];
    const declared = parameters.filter((parameter) => parameter.in === 'path');
    expect(declared.map(({ name }) => name).sort()).toEqual(names.sort());
    expect(declared.every(({ required }) => required)).toBe(true);
  });
});

describe('the AsyncAPI document', () => {
  test('has every event in and out, each with the schema of its detail', () => {
    const { components } = asyncApiDocument() as {
      components: { messages: Record<string, { payload: { properties: { detail: object } } }> };
    };
    expect(Object.keys(components.messages).sort()).toEqual(
      [...Object.keys(incomingDetailSchemas), ...Object.keys(outgoingDetailSchemas)].sort(),
    );
    for (const { payload } of Object.values(components.messages)) {
      expect(payload.properties.detail).toMatchObject({ type: 'object' });
    }
  });

  test('describes the rows of an event', () => {
    expect(documents['events/stock.changed.schema.json']).toMatchObject({
      properties: { items: { type: 'array', items: { properties: { sku: { type: 'string' } } } } },
    });
  });
});
