import type { RuleTarget } from './rule-definition.ts';

/** What a target gets of an event: the event itself, a constant, a part of it, or a text made of parts. */
export function targetInput(target: RuleTarget, event: object, ruleArn: string): string {
  if (target.Input !== undefined) return target.Input;
  if (target.InputPath !== undefined) return JSON.stringify(atPath(event, target.InputPath) ?? null);
  if (target.InputTransformer === undefined) return JSON.stringify(event);
  const { InputPathsMap, InputTemplate } = target.InputTransformer;
  const values: Record<string, unknown> = {
    'aws.events.rule-arn': ruleArn,
    'aws.events.rule-name': ruleArn.split('/').at(-1),
    'aws.events.event.ingestion-time': atPath(event, '$.time'),
    'aws.events.event': event,
    'aws.events.event.json': event,
  };
  for (const [name, path] of Object.entries(InputPathsMap)) values[name] = atPath(event, path);
  return fill(InputTemplate, values);
}

/** Values stand as JSON in the template's structure, and as bare text inside its strings. */
function fill(template: string, values: Readonly<Record<string, unknown>>): string {
  let inString = false;
  return template.replace(/\\.|"|<([^<>"]+)>/gs, (match, name: string | undefined) => {
    if (match === '"') inString = !inString;
    if (name === undefined) return match;
    const value = values[name];
    if (!inString) return JSON.stringify(value ?? null);
    const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
    return JSON.stringify(text).slice(1, -1);
  });
}

/** `$.detail.object.key`, `$.resources[0]`. */
function atPath(event: object, path: string): unknown {
  if (!/^\$(\.[\w-]+|\[\d+\])*$/.test(path))
    throw new Error(`The input path ${path} is not known to the local run`);
  const steps = path.match(/[\w-]+/g) ?? [];
  let value: unknown = event;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}
