import { type BusEvent, eventText } from './event.ts';
import { type RuleTarget, targetService } from './rule-target.ts';

/** The names that a template may use besides the target's own paths. */
const reserved: Readonly<Record<string, (event: object, ruleArn: string) => unknown>> = {
  'aws.events.rule-arn': (_event, ruleArn) => ruleArn,
  'aws.events.rule-name': (_event, ruleArn) => ruleArn.split('/').at(-1),
  'aws.events.event.ingestion-time': (event) => atPath(event, '$.time'),
  'aws.events.event': (event) => event,
  'aws.events.event.json': (event) => event,
};

/** The input that a target gets for an event: the event itself, a constant, a part of the event, or a text made of parts. */
export function targetInput(target: RuleTarget, event: BusEvent, ruleArn: string): string {
  if (target.Input !== undefined) return target.Input;
  if (target.InputPath !== undefined) return JSON.stringify(atPath(event, target.InputPath) ?? null);
  if (target.InputTransformer === undefined) return eventText(event);
  const { InputPathsMap, InputTemplate } = target.InputTransformer;
  return fill(InputTemplate, (name) => {
    const path = InputPathsMap[name];
    return path === undefined ? reserved[name]?.(event, ruleArn) : atPath(event, path);
  });
}

/**
 * The message group of an event: the target's text, or, if the text is a path, the event's value at this path. If the event has no value
 * there, the group is empty and SQS refuses it. What EventBridge itself does then is not documented.
 */
export function messageGroup({ SqsParameters }: RuleTarget, event: BusEvent): string | undefined {
  const group = SqsParameters?.MessageGroupId;
  if (group === undefined || !knownPath.test(group)) return group;
  const value = atPath(event, group) ?? '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Why the local run can't deliver any event to a target; `undefined` when it can. */
export function targetFault(target: RuleTarget): string | undefined {
  const service = targetService(target);
  if (service !== 'sqs' && service !== 'lambda')
    return `${target.Arn} is neither a queue nor a function: the local run does not know it`;
  if (target.Arn.endsWith('.fifo') && !target.SqsParameters)
    return `Parameter(s) SqsParameters must be specified for target: ${target.Id}.`;
  const fault = inputFault(target);
  return fault === undefined ? undefined : `${fault} (target ${target.Id})`;
}

/** The fault in the way in which a target picks its input, if there is one. */
export function inputFault({ Input, InputPath, InputTransformer }: RuleTarget): string | undefined {
  const given = [Input, InputPath, InputTransformer].filter((one) => one !== undefined);
  if (given.length > 1) return 'Only one of Input, InputPath, or InputTransformer must be provided';
  if (Input !== undefined && !isJson(Input)) return 'The Input is not JSON';
  const { InputPathsMap = {}, InputTemplate = '' } = InputTransformer ?? {};
  const paths = InputPath === undefined ? Object.values(InputPathsMap) : [InputPath];
  const badPath = paths.find((path) => !knownPath.test(path));
  if (badPath !== undefined) return `The input path ${badPath} is not known to the local run`;
  const names = [...InputTemplate.matchAll(templateToken)].flatMap(([, name]) => name ?? []);
  const badName = names.find((name) => !Object.hasOwn(InputPathsMap, name) && !Object.hasOwn(reserved, name));
  return badName === undefined ? undefined : `The InputTemplate names <${badName}>, which has no path`;
}

/** An escaped character, a quotation mark, or a placeholder, whose name is the group. */
const templateToken = /\\.|"|<([^<>"]+)>/gs;

/** `$.detail.object.key`, `$.resources[0]`. */
const knownPath = /^\$(\.[\w-]+|\[\d+\])*$/;

/** Fills values into a template: as JSON in its structure, and as bare text inside its strings. */
function fill(template: string, valueNamed: (name: string) => unknown): string {
  let inString = false;
  return template.replace(templateToken, (match, name: string | undefined) => {
    if (match === '"') inString = !inString;
    if (name === undefined) return match;
    const value = valueNamed(name);
    if (!inString) return JSON.stringify(value ?? null);
    const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
    return JSON.stringify(text).slice(1, -1);
  });
}

function atPath(event: object, path: string): unknown {
  let value: unknown = event;
  for (const step of path.match(/[\w-]+/g) ?? []) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
