import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { planText, readProgress, sizeOf, stepsLeft, writeProgress } from '../../../tools/prove/progress.ts';
import { type Step, steps } from '../../../tools/prove/steps.ts';
import { mutants } from '../../simulation/mutants/catalog.ts';

const folder = mkdtempSync(join(tmpdir(), 'progress-'));
const file = join(folder, 'prove', 'progress.json');
afterAll(() => rmSync(folder, { recursive: true }));

const three = ['one', 'two', 'three'].map((name): Step => ({ name, command: ['true'], minutes: 25 }));
const results = { one: { passed: true, seconds: 12 }, two: { passed: false, seconds: 3 } };

describe('the progress of npm run prove', () => {
  test('leaves what failed and what was not run', () => {
    expect(stepsLeft(three, { sources: 's', results }).map(({ name }) => name)).toEqual(['two', 'three']);
  });

  test('goes on with the same sources, and begins anew with others', () => {
    writeProgress(file, { sources: 's', results });
    expect(readProgress(file, 's').results).toEqual(results);
    expect(readProgress(file, 'changed')).toEqual({ sources: 'changed', results: {} });
  });

  test('begins anew without a file, and with one that was cut off', () => {
    expect(readProgress(join(folder, 'none.json'), 's')).toEqual({ sources: 's', results: {} });
    const cutOff = join(folder, 'cut-off.json');
    writeFileSync(cutOff, '{"sources":"s","res');
    expect(readProgress(cutOff, 's')).toEqual({ sources: 's', results: {} });
  });

  test('is shown step by step', () => {
    expect(planText(three, { sources: 's', results })).toBe(
      'passed  one (12 s)\nFAILED  two (3 s)\nleft    three (about 25 min)',
    );
    expect(sizeOf(three)).toBe('3 steps, about 1 h 15 min');
  });
});

test('the nightly workflow runs each step of npm run prove in one of its parts', () => {
  const workflow = readFileSync(join(import.meta.dirname, '../../../.github/workflows/prove.yml'), 'utf8');
  const [, list = ''] = /part: \[(.*)\]/.exec(workflow) ?? [];
  const parts = list.split(', ').map((part) => part.replaceAll("'", ''));
  const inParts = steps.map(({ name }) => [name, parts.filter((part) => name.includes(part)).length]);
  expect(inParts).toEqual(steps.map(({ name }) => [name, 1]));
});

test('npm run prove has each seeded mistake in one step, and no two steps of one name', () => {
  const tried = steps.flatMap(({ command }) =>
    command.flatMap((word, index) => (command[index - 1] === '--mutant' ? [word] : [])),
  );
  expect(tried).toEqual(mutants.map(({ name }) => name));
  const names = steps.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});
