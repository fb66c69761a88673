import * as z from 'zod';
import { hasVariable, matchesArn, matchesPattern } from './wildcards.ts';

/** The values of the condition keys of one request; a key that does not apply to it is absent. */
export type ConditionContext = Readonly<Record<string, string>>;

/** One line of a policy's condition: every line has to hold. */
export interface Condition {
  readonly operator: string;
  readonly key: string;
  readonly values: readonly string[];
}

type Operator = (actual: string | undefined, values: readonly string[]) => boolean;

const anyOf =
  (matches: (value: string, actual: string) => boolean): Operator =>
  (actual, values) =>
    actual !== undefined && values.some((value) => matches(value, actual));

const noneOf =
  (matches: (value: string, actual: string) => boolean): Operator =>
  (actual, values) =>
    actual === undefined || !values.some((value) => matches(value, actual));

const equal = (value: string, actual: string): boolean => value === actual;
const equalIgnoringCase = (value: string, actual: string): boolean =>
  value.toLowerCase() === actual.toLowerCase();

const operators: Readonly<Record<string, Operator>> = {
  StringEquals: anyOf(equal),
  StringNotEquals: noneOf(equal),
  StringEqualsIgnoreCase: anyOf(equalIgnoringCase),
  StringLike: anyOf(matchesPattern),
  StringNotLike: noneOf(matchesPattern),
  ArnEquals: anyOf(matchesArn),
  ArnLike: anyOf(matchesArn),
  ArnNotEquals: noneOf(matchesArn),
  ArnNotLike: noneOf(matchesArn),
  Bool: anyOf(equalIgnoringCase),
  NumericLessThan: anyOf((value, actual) => Number(actual) < Number(value)),
  Null: (actual, values) => values.includes(String(actual === undefined)),
};

/** Every condition key that the run provides. With any other key the decision would be random. */
const knownKeys = new Set(
  [
    'aws:SecureTransport',
    'aws:SourceArn',
    'aws:SourceAccount',
    'aws:PrincipalArn',
    'aws:PrincipalAccount',
    'aws:PrincipalIsAWSService',
    'kms:ViaService',
    'kms:CallerAccount',
    'kms:GrantIsForAWSResource',
    's3:TlsVersion',
  ].map((key) => key.toLowerCase()),
);

const conditionValue = z.union([z.string(), z.boolean(), z.number()]).transform(String);
const conditionValues = z.union([conditionValue.transform((one) => [one]), z.array(conditionValue)]);

/** A policy's `Condition` element; refused when it has an unsupported operator, key or variable. */
export const conditionBlock = z
  .record(z.string(), z.record(z.string(), conditionValues))
  .transform((block, context) => {
    const conditions: Condition[] = [];
    for (const [operator, lines] of Object.entries(block)) {
      if (!operatorOf(operator)) context.addIssue(`the condition operator ${operator} is not understood`);
      for (const [key, values] of Object.entries(lines)) {
        if (!knownKeys.has(key.toLowerCase())) context.addIssue(`the condition key ${key} is not understood`);
        if (values.some(hasVariable)) context.addIssue(`the value of ${key} has a policy variable`);
        conditions.push({ operator, key: key.toLowerCase(), values });
      }
    }
    return conditions;
  });

/** Whether every line of a condition holds for a request whose context has lower-case keys. */
export function conditionsHold(conditions: readonly Condition[], context: ConditionContext): boolean {
  return conditions.every(({ operator, key, values }) => {
    const actual = context[key];
    if (operator.endsWith('IfExists') && actual === undefined) return true;
    return operatorOf(operator)?.(actual, values) ?? false;
  });
}

function operatorOf(name: string): Operator | undefined {
  return operators[name.replace(/IfExists$/, '')];
}
