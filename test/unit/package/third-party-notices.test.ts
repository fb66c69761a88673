import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { thirdPartyNotices } from '../../../tools/package/third-party-notices.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'connector-notices-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(path: string, content: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), content);
}

function addPackage(folder: string, facts: object, licence?: string): void {
  write(`node_modules/${folder}/package.json`, JSON.stringify({ version: '1.0.0', ...facts }));
  if (licence !== undefined) write(`node_modules/${folder}/LICENSE`, licence);
}

/** A bundle with the code of these files. */
function addBundle(name: string, sources: readonly string[]): void {
  const paths = sources.map((source) => `../../node_modules/${source}`);
  write(`bundles/${name}/index.mjs.map`, JSON.stringify({ sources: ['../../own.ts', ...paths] }));
}

const notices = () => thirdPartyNotices(join(directory, 'bundles'));

describe('the notices of third parties', () => {
  it('have the licence of each package in a bundle once, with all packages that have it', () => {
    addPackage('b', { name: 'b', license: 'MIT' }, 'Text of MIT\r\n');
    addPackage('@scope/a', { name: '@scope/a', license: 'MIT' }, 'Text of MIT');
    addPackage('unused', { name: 'unused', license: 'GPL-3.0' }, 'Text of GPL');
    addBundle('first', ['b/index.js', 'b/lib/more.js']);
    addBundle('second', ['@scope/a/index.js', 'b/index.js']);

    expect(notices()).toBe('@scope/a 1.0.0 (MIT)\nb 1.0.0 (MIT)\n\nText of MIT\n');
  });

  it('have the innermost package of a file', () => {
    addPackage('outer', { name: 'outer', license: 'MIT' }, 'Text of outer');
    addPackage('outer/node_modules/inner', { name: 'inner', license: 'ISC' }, 'Text of inner');
    addBundle('first', ['outer/node_modules/inner/index.js']);

    expect(notices()).toBe('inner 1.0.0 (ISC)\n\nText of inner\n');
  });

  it('name the licence of a package that has no text of it', () => {
    addPackage('bare', { name: 'bare', license: 'MIT-0' });
    addBundle('first', ['bare/index.js']);

    expect(notices()).toMatch(/^bare 1\.0\.0 \(MIT-0\)\n\n.*MIT-0/);
  });

  it('refuse a package without a licence', () => {
    addPackage('unlicensed', { name: 'unlicensed' });
    addBundle('first', ['unlicensed/index.js']);

    expect(notices).toThrow('unlicensed names no licence');
  });
});
