import type { CloudFormationTemplate } from '../aws/template/cloudformation.ts';

/** The variables of functions that name the marketplace and the partner. */
export const MARKETPLACE_URL = 'MARKETPLACE_BASE_URL';
const PARTNER_CLIENT_ID = 'PARTNER_CLIENT_ID';

type Variables = Record<string, unknown>;

/** A template that calls another marketplace than it was synthesized for. */
export interface LocalTemplate {
  readonly template: CloudFormationTemplate;
  /** Values of parameters. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Sets the marketplace and the partner: by parameters if the template has them, otherwise in the functions' variables. So a template that
 * was synthesized for the real marketplace does not call the real one.
 */
export function withMarketplace(
  template: CloudFormationTemplate,
  { baseUrl, partnerClientId }: { baseUrl: string; partnerClientId: string },
): LocalTemplate {
  const changed = structuredClone(template);
  const parameters: Record<string, string> = {};
  const values = { [MARKETPLACE_URL]: baseUrl, [PARTNER_CLIENT_ID]: partnerClientId };
  for (const variables of functionVariables(changed)) {
    for (const [name, value] of Object.entries(values)) {
      if (!(name in variables)) continue;
      const parameter = referenceIn(variables[name]);
      if (parameter !== undefined && parameter in (template.Parameters ?? {})) parameters[parameter] = value;
      else variables[name] = value;
    }
  }
  return { template: changed, parameters };
}

export function functionVariables({ Resources }: Pick<CloudFormationTemplate, 'Resources'>): Variables[] {
  return Object.values(Resources ?? {}).flatMap(({ Type, Properties }) => {
    const environment = Properties?.Environment as { Variables?: Variables } | undefined;
    const variables = environment?.Variables;
    return Type === 'AWS::Lambda::Function' && variables !== undefined ? [variables] : [];
  });
}

function referenceIn(value: unknown): string | undefined {
  const isReference = typeof value === 'object' && value !== null && 'Ref' in value;
  return isReference ? String(value.Ref) : undefined;
}
