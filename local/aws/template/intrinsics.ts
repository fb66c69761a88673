import { account } from './account.ts';
import { TemplateError } from './cloudformation.ts';

/** The values that an intrinsic function may use. */
export interface Scope {
  ref(logicalId: string): unknown;
  getAtt(logicalId: string, attribute: string): string;
  condition(name: string): boolean;
  findInMap(map: string, first: string, second: string): unknown;
}

/** `AWS::NoValue`: a property with this value is left out. */
export const noValue: unique symbol = Symbol('AWS::NoValue');

type Intrinsic = (argument: unknown, scope: Scope, resolve: (value: unknown) => unknown) => unknown;

const conditionFunctions: Readonly<Record<string, Intrinsic>> = {
  'Fn::Equals': (argument, _scope, resolve) => {
    const [left, right] = list('Fn::Equals', argument, 2).map(resolve);
    return left === right;
  },
  'Fn::And': (argument, _scope, resolve) => list('Fn::And', argument).every((item) => resolve(item) === true),
  'Fn::Or': (argument, _scope, resolve) => list('Fn::Or', argument).some((item) => resolve(item) === true),
  'Fn::Not': (argument, _scope, resolve) => resolve(list('Fn::Not', argument, 1)[0]) !== true,
  Condition: (argument, scope) => scope.condition(text('Condition', argument)),
};

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (argument, scope) => scope.ref(text('Ref', argument)),
  'Fn::GetAtt': (argument, scope) => {
    const parts = typeof argument === 'string' ? argument.split('.') : list('Fn::GetAtt', argument);
    const [logicalId, ...attribute] = parts;
    return scope.getAtt(text('Fn::GetAtt', logicalId), attribute.join('.'));
  },
  'Fn::Join': (argument, _scope, resolve) => {
    const [delimiter, parts] = list('Fn::Join', argument, 2);
    return list('Fn::Join', resolve(parts))
      .map((part) => scalar('Fn::Join', part))
      .join(text('Fn::Join', delimiter));
  },
  'Fn::Sub': (argument, scope, resolve) => substitute(argument, scope, resolve),
  'Fn::Select': (argument, _scope, resolve) => {
    const [index, items] = list('Fn::Select', argument, 2).map(resolve);
    const selected = list('Fn::Select', items)[Number(index)];
    if (selected === undefined) throw new TemplateError(`Fn::Select has no item ${String(index)}`);
    return selected;
  },
  'Fn::Split': (argument, _scope, resolve) => {
    const [delimiter, source] = list('Fn::Split', argument, 2).map(resolve);
    return text('Fn::Split', source).split(text('Fn::Split', delimiter));
  },
  'Fn::If': (argument, scope, resolve) => {
    const [name, whenTrue, whenFalse] = list('Fn::If', argument, 3);
    return resolve(scope.condition(text('Fn::If', name)) ? whenTrue : whenFalse);
  },
  'Fn::GetAZs': (argument, _scope, resolve) => {
    const region = text('Fn::GetAZs', resolve(argument)) || account.region;
    return ['a', 'b', 'c'].map((zone) => `${region}${zone}`);
  },
  'Fn::FindInMap': (argument, scope, resolve) => {
    const [map, first, second] = list('Fn::FindInMap', argument, 3).map((key) =>
      text('Fn::FindInMap', resolve(key)),
    );
    return scope.findInMap(map ?? '', first ?? '', second ?? '');
  },
  ...conditionFunctions,
};

/**
 * A value of the template with its intrinsic functions resolved.
 *
 * @throws TemplateError for an intrinsic that is not known here (`Fn::ImportValue`, `Fn::Transform`, …), a dynamic
 * reference, or a reference to something missing.
 */
export function resolveValue(value: unknown, scope: Scope): unknown {
  const resolve = (inner: unknown): unknown => resolveValue(inner, scope);
  if (typeof value === 'string') return refuseDynamicReference(value);
  if (Array.isArray(value)) return value.map(resolve).filter((item) => item !== noValue);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [key, argument] = entries[0] ?? [];
  // `Condition` is also a key of IAM statements. It is the intrinsic only if its value is the name of a condition.
  if (entries.length === 1 && key !== undefined && (key !== 'Condition' || typeof argument === 'string')) {
    const intrinsic = intrinsics[key];
    if (intrinsic) return intrinsic(argument, scope, resolve);
  }
  const unknown = entries.find(([name]) => name.startsWith('Fn::'));
  if (unknown) throw new TemplateError(`${unknown[0]} is not known to the local run`);
  const resolved = entries.map(([name, inner]) => [name, resolve(inner)] as const);
  return Object.fromEntries(resolved.filter(([, inner]) => inner !== noValue));
}

function substitute(argument: unknown, scope: Scope, resolve: (value: unknown) => unknown): string {
  const [pattern, variables] = Array.isArray(argument) ? argument : [argument, {}];
  const own = resolve(variables) as Record<string, unknown>;
  return text('Fn::Sub', pattern).replace(/\$\{(!?)([^}]+)\}/g, (_match, literal: string, name: string) => {
    if (literal) return `\${${name}}`;
    if (name in own) return scalar('Fn::Sub', own[name]);
    const [logicalId, ...attribute] = name.split('.');
    const value = attribute.length > 0 ? scope.getAtt(logicalId ?? '', attribute.join('.')) : scope.ref(name);
    return scalar('Fn::Sub', value);
  });
}

function refuseDynamicReference(value: string): string {
  if (value.includes('{{resolve:'))
    throw new TemplateError(`The dynamic reference ${value} is not known to the local run`);
  return value;
}

function list(name: string, value: unknown, length?: number): unknown[] {
  if (!Array.isArray(value) || (length !== undefined && value.length !== length)) {
    throw new TemplateError(
      `${name} needs a list${length === undefined ? '' : ` of ${length}`}, not ${JSON.stringify(value)}`,
    );
  }
  return value;
}

function text(name: string, value: unknown): string {
  if (typeof value !== 'string')
    throw new TemplateError(`${name} needs a string, not ${JSON.stringify(value)}`);
  return value;
}

function scalar(name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  throw new TemplateError(`${name} needs a text, not ${JSON.stringify(value)}`);
}
