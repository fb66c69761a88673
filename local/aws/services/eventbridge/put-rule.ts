import * as z from 'zod';
import { AwsError } from '../../gateway/messages.ts';
import { ruleArn } from '../../template/account.ts';
import { busName } from './bus-name.ts';
import { type Operation, readInput, refuseScheduled } from './operation.ts';
import { compilePattern } from './pattern.ts';

const putRuleInput = z.strictObject({
  Name: z.string().regex(/^[.\-_A-Za-z0-9]{1,64}$/),
  EventBusName: busName,
  EventPattern: z.string({ error: 'Parameter(s) EventPattern must be specified.' }),
  ScheduleExpression: z
    .undefined({ error: 'In the local run only a template can set a schedule' })
    .optional(),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  Description: z.string().max(512).optional(),
  Tags: z.unknown().optional(),
});

/** Makes a rule, or replaces an existing one and keeps its targets. */
export const putRule: Operation = ({ principal, input, buses, access }) => {
  const { Name: name, EventBusName: bus, ...given } = readInput(input, putRuleInput);
  const arn = ruleArn(bus, name);
  access.require(principal, 'events:PutRule', arn);
  if (!buses.names().includes(bus))
    throw new AwsError('ResourceNotFoundException', `Event bus ${bus} does not exist.`);
  const existing = buses.find(bus, name);
  refuseScheduled(existing);
  buses.put({
    name,
    arn,
    bus,
    description: given.Description,
    enabled: given.State === 'ENABLED',
    pattern: readPattern(given.EventPattern),
    schedule: undefined,
    targets: existing?.targets ?? [],
  });
  return { RuleArn: arn };
};

/** @throws AwsError InvalidEventPatternException */
function readPattern(text: string): Readonly<Record<string, unknown>> {
  try {
    const pattern: unknown = JSON.parse(text);
    compilePattern(pattern);
    return pattern as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AwsError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${reason}`);
  }
}
