import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { functionNames } from '../../infra/function-names.ts';
import { anchorsOf, codeIn, headingsOf, pagesOfRepository, relativeLinks, textOf } from './markdown.ts';

const root = join(import.meta.dirname, '..', '..');
const exists = (path: string) => existsSync(join(root, path));

test('README.md has 8 KB at most', () => {
  expect(Buffer.byteLength(textOf('README.md'))).toBeLessThanOrEqual(8 * 1024);
});

test('the runbook writes queries sorted and percent-encoded, as older curl signs them as they are', () => {
  const queries = codeIn(textOf('docs/runbook.md')).flatMap(
    (code) => code.match(/(?<=\?)[^"'`\s]*=[^"'`\s]*/g) ?? [],
  );
  expect(queries.length).toBeGreaterThan(0);
  expect(queries.filter((query) => !/^[\w$%.~=&-]+$/.test(query))).toEqual([]);
  for (const query of queries) expect(query.split('&')).toEqual(query.split('&').sort());
});

test('CONTRIBUTING.md has a row for each test project', () => {
  const projects = [...textOf('vitest.config.ts').matchAll(/name: '([\w-]+)'/g)].map(([, name]) => name);
  expect(projects.length).toBeGreaterThan(0);
  expect(
    projects.filter(
      (name) => !new RegExp(`^\\| ([\\w-]+, )*${name}(, [\\w-]+)* \\|`, 'm').test(textOf('CONTRIBUTING.md')),
    ),
  ).toEqual([]);
});

test('docs/architecture.md has a row for each function and for each table', () => {
  const tables = headingsOf(textOf('docs/runbook.md')).flatMap(
    (heading) => /^(?<table>\w+)TableThrottles$/.exec(heading)?.groups?.table ?? [],
  );
  expect(tables.length).toBeGreaterThan(0);
  const rows = [...functionNames.map((name) => `| \`${name}\` |`), ...tables.map((table) => `| ${table} |`)];
  expect(rows.filter((row) => !textOf('docs/architecture.md').includes(row))).toEqual([]);
});

describe.each(pagesOfRepository())('%s', (page) => {
  test('links to files and headings that exist', () => {
    const broken = relativeLinks(page).filter(({ target, anchor }) => {
      if (!exists(target)) return true;
      return anchor !== undefined && !anchorsOf(textOf(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(textOf('package.json'));
    const named = [...textOf(page).matchAll(/npm run (?<script>[a-z][\w:-]*)/g)].map(
      ({ groups }) => groups?.script ?? '',
    );
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });

  test('gives npm scripts the options that they read', () => {
    const given = [...textOf(page).matchAll(/npm (?:run )?(?<script>start|[a-z]+) -- (?<words>[^`\n]*)/g)];
    const unread = given.flatMap(({ groups: { script = '', words = '' } = {} }) => {
      const source = SOURCES_OF_OPTIONS[script];
      const names = [...words.matchAll(/--(?<name>[a-z][\w-]*)/g)].map(({ groups }) => groups?.name ?? '');
      if (source === undefined) return [];
      return names.filter((name) => !new RegExp(`^ +'?${name}'?: \\{ type:`, 'm').test(textOf(source)));
    });
    expect(unread).toEqual([]);
  });

  test('sets variables that the test files read', () => {
    const set = [...textOf(page).matchAll(/^(?<name>[A-Z_]+)=\S+ npx vitest run .*?(?<file>test\/\S+)$/gm)];
    const unread = set.filter(
      ({ groups: { name = '', file = '' } = {} }) => !textOf(file).includes(`process.env.${name} `),
    );
    expect(unread.map(([command]) => command)).toEqual([]);
  });

  test('names files and folders of the repository that exist', () => {
    const named = codeIn(textOf(page)).flatMap((code) => code.match(PATH) ?? []);
    // An ellipsis, a star or a brace stands for a part of the name.
    const whole = named.filter((path) => !/[*{…]/.test(path)).map((path) => path.replace(/[./]+$/, ''));
    expect(whole.filter((path) => !exists(path))).toEqual([]);
  });
});

/** The files that read the options of npm scripts of our own. */
const SOURCES_OF_OPTIONS: Readonly<Record<string, string>> = {
  start: 'local/run/run-options.ts',
  simulate: 'test/simulation/main.ts',
  chaos: 'tools/chaos/main.ts',
  bench: 'tools/bench/main.ts',
  prove: 'tools/prove/main.ts',
};

/** A path from the repository's root that begins with one of its folders. */
const PATH =
  /(?<![\w/.:{}-])(?:infra|functions|shared|sandbox|local|tools|test|docs|cli|\.ci|\.github)\/[\w./*{}…-]*/g;

describe.each(['cli', 'shared', 'functions', 'infra', 'test'])('files in %s/', (folder) => {
  const files = globSync('**/*.{ts,md,py}', { cwd: join(root, folder) }).map((file) => `${folder}/${file}`);

  test('cite sections of the marketplace’s API that docs/marketplace-api.md has', () => {
    const known = new Set(numbersOf('docs/marketplace-api.md', /^§(?<number>[\d.]+) /));
    expect(citations(files, sectionsIn).filter(({ cited }) => !known.has(cited))).toEqual([]);
  });

  test('cite properties that docs/architecture.md has', () => {
    const known = new Set(numbersOf('docs/architecture.md', /^P(?<number>\d+) /));
    expect(citations(files, propertiesIn).filter(({ cited }) => !known.has(cited))).toEqual([]);
  });
});

function numbersOf(page: string, heading: RegExp): string[] {
  return headingsOf(textOf(page)).flatMap((text) => heading.exec(text)?.groups?.number ?? []);
}

function citations(files: readonly string[], citedIn: (text: string) => string[]) {
  return files.flatMap((file) => citedIn(textOf(file)).map((cited) => ({ file, cited })));
}

/** Numbers after a section sign, also those of a list or a range: `§4.3, 4.4 – 4.6 and 5`. */
function sectionsIn(text: string): string[] {
  const lists = text.match(/§\d+(?:\.\d+)*(?:(?:,| –| and) §?\d+\.\d+)*/g) ?? [];
  return lists.flatMap((list) => list.match(/\d+(?:\.\d+)*/g) ?? []);
}

/** Numbers of properties: `P5` and longer numbers, but no part of another word. */
function propertiesIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w.'-])P(?<number>\d+)(?![\w'-])/g)].map(
    ({ groups }) => groups?.number ?? '',
  );
}
