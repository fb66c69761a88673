import { type Caller, evaluate } from '../iam/evaluate.ts';
import type { Policy } from '../iam/policy-document.ts';
import type { AccessDecision, AccessDenied, Principal } from '../model.ts';
import { AwsError } from './messages.ts';

/** The policies of the stack, by role or resource. */
export interface StackPolicies {
  /** By role ARN. */
  readonly ofRole: ReadonlyMap<string, readonly Policy[]>;
  /** By resource ARN. An object has the policies of its bucket. */
  readonly ofResource: ReadonlyMap<string, readonly Policy[]>;
}

/** Facts about a request that conditions may use. */
type RequestContext = Readonly<Record<string, string>>;

/** Decides about requests, and records every refusal of the run. */
export interface AccessControl {
  /** @throws AwsError AccessDenied */
  require(principal: Principal, action: string, resource: string, context?: RequestContext): void;
  /** As `require`, but returns the decision, for callers with their own answer to a refusal. */
  check(principal: Principal, action: string, resource: string, context?: RequestContext): AccessDecision;
  /** A delivery by an AWS service on behalf of a resource (`sourceArn`), which only a resource policy can allow. */
  checkService(serviceName: string, action: string, resource: string, sourceArn: string): AccessDecision;
  /** Replaces a resource's own policies, for example when a client sets the policy of a queue. */
  setResourcePolicies(resource: string, policies: readonly Policy[]): void;
}

/**
 * @param options.policies the synthesized policies at the start
 * @param options.onDenied called for each refusal
 */
export function createAccessControl(options: {
  policies: StackPolicies;
  accountId: string;
  clock: { now(): number };
  onDenied: (denied: AccessDenied) => void;
}): AccessControl {
  const { policies, accountId } = options;
  const ofResource = new Map(policies.ofResource);

  function decide(caller: Caller, action: string, resource: string, context: RequestContext): AccessDecision {
    const decision = evaluate(
      { caller, action, resource, context },
      {
        identity: caller.kind === 'identity' ? (policies.ofRole.get(caller.arn) ?? []) : [],
        resource: ofResource.get(policyHolder(resource)) ?? [],
        resourceMustAllow: action.startsWith('kms:'),
      },
    );
    if (!decision.allowed) {
      const principal = caller.kind === 'identity' ? caller.arn : caller.name;
      options.onDenied({ time: options.clock.now(), principal, action, resource, reason: decision.reason });
    }
    return decision;
  }

  function check(
    principal: Principal,
    action: string,
    resource: string,
    context: RequestContext = {},
  ): AccessDecision {
    if (principal.kind === 'administrator') return { allowed: true };
    const caller: Caller = { kind: 'identity', arn: principal.arn };
    return decide(caller, action, resource, {
      ...secureTransport,
      'aws:PrincipalArn': principal.arn,
      'aws:PrincipalAccount': accountId,
      'aws:PrincipalIsAWSService': 'false',
      ...context,
    });
  }

  return {
    check,
    require(principal, action, resource, context) {
      const decision = check(principal, action, resource, context);
      if (decision.allowed) return;
      throw new AwsError(
        'AccessDenied',
        `User: ${principal.sessionArn} is not authorized to perform: ${action} on resource: ${resource} (${decision.reason})`,
        403,
      );
    },
    checkService(serviceName, action, resource, sourceArn) {
      return decide({ kind: 'service', name: serviceName }, action, resource, {
        ...secureTransport,
        'aws:SourceArn': sourceArn,
        'aws:SourceAccount': accountId,
        'aws:PrincipalIsAWSService': 'true',
      });
    },
    setResourcePolicies: (resource, own) => ofResource.set(resource, own),
  };
}

/** The loopback port stands for AWS's own endpoints, which speak TLS only. */
const secureTransport: RequestContext = { 'aws:SecureTransport': 'true', 's3:TlsVersion': '1.3' };

function policyHolder(resource: string): string {
  return resource.startsWith('arn:aws:s3:::') ? (resource.split('/')[0] ?? resource) : resource;
}
