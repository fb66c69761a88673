import { describe, expect, test } from 'vitest';
import { readPage } from '../../tools/describe/pages/pages.ts';
import { documentedRoutes } from './documented-routes.ts';
import { codeBlocks } from './examples.ts';

const page = readPage('docs/http-api.md').text;
const routes = documentedRoutes();
/** Text of each entry, by its route. */
const entries = new Map(
  page
    .split(/^#{2,3} /m)
    .map((section) => /^`(?<key>[A-Z]+ [^`]+)`\n(?<text>.*)$/s.exec(section)?.groups)
    .flatMap((groups): [string, string][] => (groups ? [[groups.key ?? '', groups.text ?? '']] : [])),
);
const codesInTable = new Set(
  [...page.matchAll(/^\| \d{3} \| ([^|]*) \|/gm)].flatMap(
    ([, codes = '']) => codes.match(/[A-Z_0-9]+/g) ?? [],
  ),
);
/** A body with more fields than this is an object of the marketplace's, which the entry need not list. */
const FIELDS_NAMED = 10;

describe('docs/http-api.md', () => {
  test('has an entry for every route, and no other', () => {
    expect([...entries.keys()].sort()).toEqual(routes.map(({ key }) => key).sort());
  });

  test('links every entry from the list of all routes', () => {
    const list = /^## All routes\n(?<list>.*?)^## /ms.exec(page)?.groups?.list ?? '';
    const listed = [...list.matchAll(/\[`([A-Z]+ [^`]+)`\]/g)].map(([, key = '']) =>
      key.replace('…', '/stores/{storeClientId}'),
    );
    expect(listed).toEqual([...entries.keys()]);
  });

  describe.each(routes)('at $key', ({ key, query, fields, statuses }) => {
    const entry = entries.get(key) ?? '';

    test('names the parameters of the query and the fields of the body', () => {
      const names = [...query, ...(fields.length > FIELDS_NAMED ? [] : fields)];
      expect(names.filter((name) => !new RegExp(`[\`"]${name}[\`="\\\\]`).test(entry))).toEqual([]);
    });

    test('has an example with its answer', () => {
      const blocks = codeBlocks(entry);
      const path = new RegExp(
        `\\$api${(key.split(' ')[1] ?? '').replaceAll(/\{\w+\}/g, '[^/ ]+')}(?![\\w/-])`,
      );
      expect(blocks.some(({ language, code }) => language === 'sh' && path.test(code))).toBe(true);
      expect(blocks.some(({ language }) => language === 'json' || language === 'text')).toBe(true);
    });

    test('says the status of success, if it may be another than 200', () => {
      const others = statuses.filter((status) => status !== 200);
      expect(others.filter((status) => !entry.includes(String(status)))).toEqual([]);
    });

    test('names errors that the table has', () => {
      const [, errors = ''] = /Errors:(.*?)(?:\.\s|:\n|\n\n)/s.exec(entry) ?? [];
      const codes = errors.match(/(?<=`)[A-Z][A-Z_0-9]+(?=`)/g) ?? [];
      expect(codes.filter((code) => !codesInTable.has(code))).toEqual([]);
    });
  });
});
