import { type ParsedTemplate, TemplateError } from './cloudformation.ts';

/**
 * The value of each parameter: the given one, otherwise the default, checked against the template's constraints.
 *
 * @throws TemplateError for a value that is missing, not allowed, or given for a parameter that does not exist.
 */
export function parameterValues(
  template: ParsedTemplate,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  for (const name of Object.keys(given)) {
    if (!(name in template.Parameters)) throw new TemplateError(`The template has no parameter ${name}`);
  }
  const values: Record<string, string> = {};
  for (const [name, parameter] of Object.entries(template.Parameters)) {
    const value = given[name] ?? parameter.Default;
    if (value === undefined) throw new TemplateError(`Parameter ${name} has neither a value nor a default`);
    if (parameter.AllowedValues && !parameter.AllowedValues.includes(value)) {
      throw new TemplateError(
        `Parameter ${name}: ${value} is not one of ${parameter.AllowedValues.join(', ')}`,
      );
    }
    if (parameter.AllowedPattern && !new RegExp(`^(?:${parameter.AllowedPattern})$`).test(value)) {
      const rule = parameter.ConstraintDescription ?? `does not match ${parameter.AllowedPattern}`;
      throw new TemplateError(`Parameter ${name}: ${value} ${rule}`);
    }
    const { MinLength = 0, MaxLength = Number.POSITIVE_INFINITY } = parameter;
    if (value.length < MinLength || value.length > MaxLength) {
      throw new TemplateError(`Parameter ${name}: ${value.length} characters are too few or too many`);
    }
    values[name] = value;
  }
  return values;
}
