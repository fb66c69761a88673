import * as z from 'zod';
import { account } from './account.ts';
import {
  type CloudFormationTemplate,
  cloudFormationTemplate,
  type DeletionPolicy,
  type ParsedTemplate,
  TemplateError,
} from './cloudformation.ts';
import { noValue, resolveValue, type Scope } from './intrinsics.ts';
import { parameterValues } from './parameters.ts';
import { physicalName } from './physical-names.ts';
import { referencesIn } from './references.ts';
import {
  type Endpoints,
  type ResourceIdentity,
  type ResourceType,
  resourceTypes,
  stableId,
} from './resource-types.ts';

/** A resource with its properties resolved. */
export interface StackResource {
  readonly logicalId: string;
  readonly type: string;
  /** The physical name. */
  readonly name: string;
  /** The value of `Ref`. */
  readonly ref: string;
  /** The values of `Fn::GetAtt`, by attribute. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly properties: Readonly<Record<string, unknown>>;
  /** What happens to the resource when the stack no longer has it. */
  readonly deletionPolicy: DeletionPolicy;
  /** Logical IDs of the resources that must exist before this one. */
  readonly needs: readonly string[];
}

/** A template with all references resolved. */
export interface Stack {
  readonly name: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly resources: readonly StackResource[];
  /** The resources of one type, in the template's order. */
  ofType(type: string): StackResource[];
}

/**
 * Reads a synthesized template: parameters, conditions, intrinsic functions and the names that CloudFormation would
 * give. The result depends on nothing else, so reading again with other endpoints gives the same names.
 *
 * @throws TemplateError, naming the logical ID, for a type of resource, an intrinsic or a reference that is not known.
 */
export function readStack(
  source: CloudFormationTemplate,
  options: { stackName: string; parameters: Readonly<Record<string, string>>; endpoints: Endpoints },
): Stack {
  const template = parse(source);
  const scope = new StackScope(template, options);
  const resources = Object.keys(template.Resources)
    .filter((logicalId) => scope.exists(logicalId))
    .map((logicalId) => scope.resource(logicalId));
  const outputs = Object.entries(template.Outputs)
    .filter(([, output]) => output.Condition === undefined || scope.condition(output.Condition))
    .map(
      ([name, output]) =>
        [name, String(located(`Output ${name}`, () => resolveValue(output.Value, scope)))] as const,
    );
  return {
    name: options.stackName,
    outputs: Object.fromEntries(outputs),
    resources,
    ofType: (type) => resources.filter((resource) => resource.type === type),
  };
}

function parse(source: CloudFormationTemplate): ParsedTemplate {
  const parsed = cloudFormationTemplate.safeParse(source);
  if (!parsed.success)
    throw new TemplateError(`Not a template for the local run: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

class StackScope implements Scope {
  readonly #template: ParsedTemplate;
  readonly #stackName: string;
  readonly #endpoints: Endpoints;
  readonly #parameters: Readonly<Record<string, string>>;

  constructor(
    template: ParsedTemplate,
    options: { stackName: string; parameters: Readonly<Record<string, string>>; endpoints: Endpoints },
  ) {
    this.#template = template;
    this.#stackName = options.stackName;
    this.#endpoints = options.endpoints;
    this.#parameters = parameterValues(template, options.parameters);
  }

  exists(logicalId: string): boolean {
    const condition = this.#definition(logicalId).Condition;
    return condition === undefined || this.condition(condition);
  }

  resource(logicalId: string): StackResource {
    return located(logicalId, () => {
      const { type, definition, identity } = this.#identify(logicalId);
      for (const other of definition.DependsOn) this.#definition(other);
      const needs = [...definition.DependsOn, ...referencesIn(definition.Properties)];
      const attributes = Object.entries(type.attributes ?? {}).map(
        ([key, derive]) => [key, derive(identity)] as const,
      );
      return {
        logicalId,
        type: definition.Type,
        name: identity.name,
        ref: type.ref(identity),
        attributes: Object.fromEntries(attributes),
        properties: resolveValue(definition.Properties, this) as Record<string, unknown>,
        deletionPolicy: definition.DeletionPolicy,
        needs: [...new Set(needs)].filter((id) => id in this.#template.Resources),
      };
    });
  }

  ref(name: string): unknown {
    const pseudo = this.#pseudoParameters()[name];
    if (pseudo !== undefined) return pseudo;
    const parameter = this.#parameters[name];
    if (parameter !== undefined) return parameter;
    const { type, identity } = this.#identify(name);
    return type.ref(identity);
  }

  getAtt(logicalId: string, attribute: string): string {
    const { type, definition, identity } = this.#identify(logicalId);
    const derive = type.attributes?.[attribute];
    if (!derive)
      throw new TemplateError(
        `${definition.Type} ${logicalId} has no attribute ${attribute} in the local run`,
      );
    return derive(identity);
  }

  condition(name: string): boolean {
    const condition = this.#template.Conditions[name];
    if (condition === undefined) throw new TemplateError(`The template has no condition ${name}`);
    return located(`Condition ${name}`, () => resolveValue(condition, this) === true);
  }

  findInMap(map: string, first: string, second: string): unknown {
    const value = this.#template.Mappings[map]?.[first]?.[second];
    if (value === undefined)
      throw new TemplateError(`The template maps nothing at ${map}.${first}.${second}`);
    return value;
  }

  #definition(logicalId: string): ParsedTemplate['Resources'][string] {
    const definition = this.#template.Resources[logicalId];
    if (!definition) throw new TemplateError(`The template has no resource or parameter ${logicalId}`);
    return definition;
  }

  #identify(logicalId: string): {
    type: ResourceType;
    definition: ParsedTemplate['Resources'][string];
    identity: ResourceIdentity;
  } {
    const definition = this.#definition(logicalId);
    const type = resourceTypes[definition.Type];
    if (!type)
      throw new TemplateError(`${logicalId}: the type ${definition.Type} is not known to the local run`);
    const property = (name: string): string => {
      const value = definition.Properties[name];
      return value === undefined ? '' : String(resolveValue(value, this));
    };
    const given = type.nameProperty ? property(type.nameProperty) : '';
    const name = given || physicalName({ stackName: this.#stackName, logicalId, type });
    return { type, definition, identity: { logicalId, name, property, endpoints: this.#endpoints } };
  }

  #pseudoParameters(): Readonly<Record<string, unknown>> {
    return {
      'AWS::AccountId': account.id,
      'AWS::Region': account.region,
      'AWS::Partition': account.partition,
      'AWS::URLSuffix': account.urlSuffix,
      'AWS::StackName': this.#stackName,
      'AWS::StackId': `arn:aws:cloudformation:${account.region}:${account.id}:stack/${this.#stackName}/${stableId(this.#stackName)}`,
      'AWS::NoValue': noValue,
      'AWS::NotificationARNs': [],
    };
  }
}

/** Adds the place in the template to an error, once. */
function located<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TemplateError) || error.message.startsWith(`${place}:`)) throw error;
    throw new TemplateError(`${place}: ${error.message}`);
  }
}
