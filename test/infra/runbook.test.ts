import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Alarm, type CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { describe, expect, it } from 'vitest';
import { createConnectorStack } from './support/stacks.ts';

const runbook = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'runbook.md'), 'utf8');
const alarmPart = runbook.split(/^## /m).find((part) => part.startsWith('Alarms\n')) ?? '';
/** Text of each heading about alarms, by the heading. */
const sections = new Map(
  alarmPart
    .split(/^### /m)
    .slice(1)
    .map((section): [string, string] => {
      const [heading = '', ...text] = section.split('\n');
      return [heading, text.join('\n')];
    }),
);
const alarms = createConnectorStack()
  .node.findAll()
  .filter((construct) => construct instanceof Alarm)
  .map((alarm) => {
    const { alarmDescription = '' } = alarm.node.defaultChild as CfnAlarm;
    return { name: alarm.node.id, link: /\S+$/.exec(alarmDescription)?.[0] ?? '' };
  });
const linkTo = (heading: string) => `docs/runbook.md#${heading.toLowerCase()}`;

describe('the runbook', () => {
  it.each(alarms)('has the heading that the description of $name links to, and names the alarm', (alarm) => {
    const [heading, text] = [...sections].find(([one]) => linkTo(one) === alarm.link) ?? [];
    expect(alarm.name.endsWith(heading ?? 'no such heading')).toBe(true);
    expect(alarm.name === heading || text?.includes(`\`${alarm.name}\``)).toBe(true);
  });

  it.each([...sections.keys()])('has at %s what there is an alarm for', (heading) => {
    expect(alarms.map(({ link }) => link)).toContain(linkTo(heading));
    const named = [...(sections.get(heading) ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    const ofThisKind = named.filter((name) => name.endsWith(heading) && name !== heading);
    expect(alarms.map(({ name }) => name)).toEqual(expect.arrayContaining(ofThisKind));
  });

  it.each([...sections])(
    'says at %s what it means, what to look at, what to do, and when it is over',
    (_, text) => {
      expect([...text.matchAll(/^\*\*(.+?)\*\*/gm)].map(([, label]) => label)).toEqual([
        'Means',
        'Look at',
        'Do',
        'Over when',
      ]);
    },
  );

  it('links to its own headings only where they are', () => {
    const headings = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = [...runbook.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    expect(links.length).toBeGreaterThan(5);
    expect(headings).toEqual(expect.arrayContaining(links));
  });
});
