import type { Template } from 'aws-cdk-lib/assertions';

interface PolicyStatement {
  readonly effect: string;
  readonly actions: string[];
  /** Each resource as readable text, such as `TablesStoresTable.Arn`. */
  readonly resources: string[];
  readonly condition: unknown;
}

export interface FunctionView {
  /** The ID of its construct, such as `ChangeIntake`. */
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: the properties have the shape of AWS::Lambda::Function
  readonly properties: Record<string, any>;
  /** Each variable's value as readable text. */
  readonly environment: Record<string, string>;
  readonly statements: PolicyStatement[];
}

/** Writes an intrinsic as `LogicalId`, `LogicalId.Attribute` or joined text, without the hashes of logical IDs. */
export function readable(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const entry = Object.entries(value)[0];
  if (!entry) return '';
  const [intrinsic, argument] = entry;
  if (intrinsic === 'Ref') return withoutHash(argument);
  if (intrinsic === 'Fn::GetAtt') return `${withoutHash(argument[0])}.${argument[1]}`;
  if (intrinsic === 'Fn::Join') return argument[1].map(readable).join(argument[0]);
  return JSON.stringify(value);
}

/** The functions of the template with their environment and what their roles allow. */
export function functionsOf(template: Template): FunctionView[] {
  const policies = Object.values(template.findResources('AWS::IAM::Policy'));
  const ofQueues = Object.values(template.findResources('AWS::SQS::QueuePolicy')).flatMap(
    (policy) => policy.Properties.PolicyDocument.Statement,
  );
  return Object.entries(template.findResources('AWS::Lambda::Function')).map(([logicalId, resource]) => {
    const role = readable(resource.Properties.Role).split('.')[0];
    const own = policies.filter((policy) => policy.Properties.Roles.map(readable).includes(role));
    return {
      name: withoutHash(logicalId).replace(/Function$/, ''),
      properties: resource.Properties,
      environment: mapValues(resource.Properties.Environment.Variables, readable),
      statements: [
        ...own.flatMap((policy) => policy.Properties.PolicyDocument.Statement),
        ...ofQueues.filter(({ Principal }) => readable(Principal.AWS ?? '') === `${role}.Arn`),
      ].map(toStatement),
    };
  });
}

function toStatement(statement: Record<string, unknown>): PolicyStatement {
  return {
    effect: String(statement.Effect),
    actions: [statement.Action].flat().map(String),
    resources: [statement.Resource].flat().map(readable),
    condition: statement.Condition,
  };
}

function withoutHash(logicalId: string): string {
  return logicalId.replace(/[0-9A-F]{8}$/, '');
}

function mapValues<T, U>(record: Record<string, T>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
