import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AlarmBase, type CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { describe, expect, it } from 'vitest';
import { attentionKindSchema } from '../../shared/attention/model.ts';
import { createConnectorStack } from './support/stacks.ts';

const root = join(import.meta.dirname, '..', '..');
const runbook = readFileSync(join(root, 'docs', 'runbook.md'), 'utf8');
const tests = ['runbook.test.ts', 'alarms.test.ts', 'drift.test.ts']
  .map((file) => readFileSync(join(root, 'test', 'e2e', file), 'utf8'))
  .join('\n');

/** Text of each `###` heading in a part of the page, by the heading. */
function sectionsOf(part: string): Map<string, string> {
  const text = runbook.split(/^## /m).find((one) => one.startsWith(`${part}\n`)) ?? '';
  const sections = text.split(/^### /m).slice(1);
  return new Map(
    sections.map((section): [string, string] => {
      const [heading = '', ...lines] = section.split('\n');
      return [heading, lines.join('\n')];
    }),
  );
}

const ofAlarms = sectionsOf('Alarms');
const shared = sectionsOf('What several alarms share');
const FOLLOW = /Follow \[(?<heading>[^\]]+)\]\(#(?<anchor>[^)]+)\)\.\n*$/;
/** Alarms that say by themselves what to do. */
const whole = [...ofAlarms].filter(([, text]) => !FOLLOW.test(text));
const followed = [...ofAlarms.values()].flatMap((text) => FOLLOW.exec(text)?.groups?.heading ?? []);

const alarms = createConnectorStack()
  .node.findAll()
  .filter((construct) => construct instanceof AlarmBase)
  .map((alarm) => {
    const { alarmDescription = '' } = alarm.node.defaultChild as CfnAlarm;
    return { name: alarm.node.id, link: /\S+$/.exec(alarmDescription)?.[0] };
  });

const quotedIn = (text: string) => [...text.matchAll(/"([^"]+)"/g)].map(([, message = '']) => message);

describe('the runbook', () => {
  it('has a heading for every alarm, by its name, and no heading without an alarm', () => {
    expect([...ofAlarms.keys()].sort()).toEqual(alarms.map(({ name }) => name).sort());
  });

  it.each(alarms)(
    'has the heading of $name where the description of the alarm links to',
    ({ name, link }) => {
      expect(link).toBe(`docs/runbook.md#${name.toLowerCase()}`);
    },
  );

  it('says for each kind of GET /attention what to do', () => {
    const kinds = [...runbook.matchAll(/^\| `(?<kind>[a-z-]+)` \| \[/gm)].map(({ groups }) => groups?.kind);
    expect(kinds.sort()).toEqual([...attentionKindSchema.options].sort());
  });

  it('has what several alarms share, and each shared section is linked', () => {
    expect([...new Set(followed)].sort()).toEqual([...shared.keys()].sort());
  });

  it.each([...whole, ...shared])(
    'says at %s what it means, what to look at, what to do, and when it is over',
    (_, text) => {
      const labels = [...text.matchAll(/^\*\*(.+?)\*\*/gm)].map(([, label]) => label);
      expect(labels.filter((label) => label !== 'Not tested')).toEqual([
        'Means',
        'Look at',
        'Do',
        'Over when',
      ]);
    },
  );

  it('quotes messages that the code has', () => {
    const source = globSync(['functions/**/*.ts', 'shared/**/*.ts'], { cwd: root })
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n');
    const messages = (shared.get('A function fails') ?? '').match(/^- "[^:]*/gm)?.flatMap(quotedIn) ?? [];
    expect(messages.length).toBeGreaterThan(0);
    expect(messages.filter((message) => !source.includes(message))).toEqual([]);
  });

  it.each([...whole, ...shared])('has a test of %s, or says why it has none', (heading, text) => {
    expect(text.includes('**Not tested**')).toBe(!tests.includes(`'${heading}'`));
  });
});
