import type { AccessDecision } from '../model.ts';
import { type ConditionContext, conditionsHold } from './conditions.ts';
import type { Policy, Statement } from './policy-document.ts';
import { matchesArn, matchesPattern } from './wildcards.ts';

/** Who asks: a role or user of the account, or an AWS service. */
export type Caller =
  | { readonly kind: 'identity'; readonly arn: string }
  | { readonly kind: 'service'; readonly name: string };

export interface AccessRequest {
  readonly caller: Caller;
  /** `service:Operation`. */
  readonly action: string;
  /** ARN, or `*` if the action names no resource. */
  readonly resource: string;
  readonly context?: ConditionContext;
}

/** The policies that apply to one request. */
export interface ApplicablePolicies {
  /** The caller's policies. An AWS service has none. */
  readonly identity: readonly Policy[];
  /** The resource's policies. */
  readonly resource: readonly Policy[];
  /** True for a resource whose policy must allow even the account's identities (a KMS key). */
  readonly resourceMustAllow?: boolean;
}

type Verdict = 'allow' | 'allow-account' | 'none';

/**
 * Decides a request within one account as IAM does: an explicit deny wins; otherwise one allow is enough, by an
 * identity policy or by a resource policy that names the caller. A resource policy that names the account (`…:root`)
 * lets the identity policies decide.
 */
export function evaluate(request: AccessRequest, policies: ApplicablePolicies): AccessDecision {
  const context = lowerCaseKeys(request.context ?? {});
  const denied =
    findDeny(policies.identity, (statement) => applies(statement, request, context)) ??
    findDeny(
      policies.resource,
      (statement) =>
        principalMatch(statement, request.caller) !== 'none' && applies(statement, request, context),
    );
  if (denied !== undefined) return { allowed: false, reason: `explicitly denied by ${denied}` };

  const byResource = resourceVerdict(policies.resource, request, context);
  if (byResource === 'allow') return { allowed: true };
  if (policies.resourceMustAllow && byResource === 'none') {
    return { allowed: false, reason: 'the resource policy names neither the caller nor the account' };
  }
  const byIdentity = policies.identity.some((policy) =>
    policy.statements.some(
      (statement) => statement.Effect === 'Allow' && applies(statement, request, context),
    ),
  );
  return byIdentity ? { allowed: true } : { allowed: false, reason: noAllowReason(request.caller) };
}

function noAllowReason(caller: Caller): string {
  return caller.kind === 'service'
    ? `no resource policy allows the service ${caller.name}`
    : 'no identity policy and no resource policy allows it';
}

function resourceVerdict(
  policies: readonly Policy[],
  request: AccessRequest,
  context: ConditionContext,
): Verdict {
  let verdict: Verdict = 'none';
  for (const statement of policies.flatMap((policy) => policy.statements)) {
    if (statement.Effect !== 'Allow' || !applies(statement, request, context)) continue;
    const match = principalMatch(statement, request.caller);
    if (match === 'allow') return 'allow';
    if (match === 'allow-account') verdict = match;
  }
  return verdict;
}

function findDeny(
  policies: readonly Policy[],
  denies: (statement: Statement) => boolean,
): string | undefined {
  return policies.find((policy) => policy.statements.some((one) => one.Effect === 'Deny' && denies(one)))
    ?.source;
}

function applies(statement: Statement, request: AccessRequest, context: ConditionContext): boolean {
  const action = (pattern: string): boolean => matchesPattern(pattern, request.action, { ignoreCase: true });
  const resource = (pattern: string): boolean => resourceMatches(pattern, request.resource);
  const actionApplies = statement.Action?.some(action) ?? !statement.NotAction?.some(action);
  // A resource policy may leave out the resource. It then applies to the resource that has the policy.
  const resourceApplies = statement.NotResource
    ? !statement.NotResource.some(resource)
    : (statement.Resource?.some(resource) ?? true);
  return actionApplies && resourceApplies && conditionsHold(statement.Condition, context);
}

function resourceMatches(pattern: string, resource: string): boolean {
  return pattern === '*' || (resource !== '*' && matchesArn(pattern, resource));
}

function principalMatch(statement: Statement, caller: Caller): Verdict {
  const { AWS = [], Service = [] } = statement.Principal ?? {};
  if (AWS.includes('*')) return 'allow';
  if (caller.kind === 'service') return Service.includes(caller.name) ? 'allow' : 'none';
  if (AWS.includes(caller.arn)) return 'allow';
  const accountId = caller.arn.split(':')[4] ?? '';
  const account = new RegExp(`^(arn:aws:iam::${accountId}:root|${accountId})$`);
  return AWS.some((principal) => account.test(principal)) ? 'allow-account' : 'none';
}

function lowerCaseKeys(context: ConditionContext): ConditionContext {
  return Object.fromEntries(Object.entries(context).map(([key, value]) => [key.toLowerCase(), value]));
}
