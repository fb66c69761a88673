import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { explain } from '../../../cli/errors.ts';
import { createProgram } from '../../../cli/program.ts';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';
import { startQuickRun } from '../../../local/run/quick-run.ts';
import { until } from '../../../local/run/until.ts';
import { filesOfOthers } from './matrix.ts';
import type { Question } from './question.ts';
import { questions, wordsOf } from './questions.ts';
import { makeSituations, type Names } from './situations.ts';

let run: ConnectorRun;
let names: Names;
let folder: string;
let outputs: string;

beforeAll(async () => {
  run = await startQuickRun();
  folder = await mkdtemp(join(tmpdir(), 'questions-'));
  outputs = join(folder, 'outputs.json');
  await writeFile(outputs, JSON.stringify({ MarketplaceConnector: run.local.outputs }));
  names = await makeSituations(run);
}, 300_000);

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** What the command line prints, or its error and hint. In this process: each question would cost a second otherwise. */
async function answerTo(words: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  try {
    await createProgram().parseAsync([...words, '--outputs', outputs], { from: 'user' });
  } catch (error) {
    const { code, message, hint = '' } = explain(error);
    printed.push(`${code}: ${message}\n${hint}\n`);
  } finally {
    spy.mockRestore();
  }
  return printed.join('');
}

const lackingIn = (answer: string, { has }: Question) =>
  has.filter((part) => (typeof part === 'string' ? !answer.includes(part) : !part.test(answer)));

test.each(questions.map((question) => [question.ask, question] as const))(
  'connector %s',
  async (_, question) => {
    const words = wordsOf(question, names);
    let answer = '';
    await until(
      `a true answer to ${words.join(' ')}`,
      async () => {
        answer = await answerTo(words);
        return lackingIn(answer, question).length === 0;
      },
      { withinMs: 20_000, everyMs: 500 },
    ).catch(() => undefined);
    expect(lackingIn(answer, question), answer).toEqual([]);
    for (const part of question.hasNot ?? []) expect(answer).not.toMatch(part);
  },
);

test.each([...filesOfOthers])('a cell of the matrix without a question is held by %s', async (file) => {
  await expect(access(file)).resolves.toBeUndefined();
});

test('no question needed a grant that a function does not have', () => {
  expect(run.local.accessDenied).toEqual([]);
});
