import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  baseUrlPattern,
  baseUrlRule,
  stackNamePattern,
  stackNameRule,
} from '../../shared/settings/stack-rules.ts';
import type { AwsClients } from '../clients/aws-clients.ts';
import { explain, reasonOf } from '../errors.ts';
import { clockFinding } from './clock.ts';
import { readConcurrency } from './concurrency.ts';
import { type Check, type Found, fault, ok, warning } from './finding.ts';
import { request } from './request.ts';

/** Where a stack shall be deployed. */
export interface PreflightContext {
  readonly aws: AwsClients;
  readonly stackName: string;
  readonly marketplaceBaseUrl: string | undefined;
}

/** The stack that `cdk bootstrap` makes. */
const BOOTSTRAP_STACK = 'CDKToolkit';
/** Least version of it that the templates of this CDK name. */
const BOOTSTRAP_VERSION = 6;
const UNSUPPORTED_REGION = /^cn-/;

/**
 * Whether a first deployment can succeed. They change nothing. Those without AWS come first, as a missing region or missing
 * credentials end the others.
 */
export const PREFLIGHT_CHECKS: Readonly<Record<string, Check<PreflightContext>>> = {
  name: async ({ stackName }) =>
    new RegExp(stackNamePattern).test(stackName)
      ? ok(`the stack may be called ${stackName}`)
      : fault(`the stack's name ${stackName} ${stackNameRule}`, 'Set another `stackName`.'),
  marketplace: async ({ marketplaceBaseUrl }) => baseUrlFinding(marketplaceBaseUrl),
  clock: async ({ marketplaceBaseUrl = '' }) => {
    if (!isBaseUrl(marketplaceBaseUrl)) return undefined;
    // The check before says why there is none.
    const answer = await request(marketplaceBaseUrl, { method: 'HEAD' }).catch(() => undefined);
    return answer && clockFinding('the marketplace', answer.headers.get('date'), Date.now());
  },
  region: async ({ aws }) => {
    const region = await aws.stacks.config.region().catch(() => undefined);
    if (region === undefined) return fault('no AWS region', 'Give --region REGION, or set AWS_REGION.');
    return UNSUPPORTED_REGION.test(region)
      ? fault(`${region} is of the partition aws-cn, which is not supported`, 'Choose another region.')
      : ok(region);
  },
  credentials: async ({ aws }) => {
    await aws.stacks.config.credentials();
    return ok('there are AWS credentials');
  },
  bootstrap: bootstrapFinding,
  quotas: readConcurrency,
};

async function bootstrapFinding({ aws }: Pick<PreflightContext, 'aws'>): Promise<Found> {
  const hint = 'Bootstrap the CDK, once per account and region: `npx cdk bootstrap`.';
  try {
    const command = new DescribeStacksCommand({ StackName: BOOTSTRAP_STACK });
    const { Stacks: [stack] = [] } = await aws.stacks.send(command);
    const account = stack?.StackId?.split(':')[4];
    const version = Number(
      stack?.Outputs?.find(({ OutputKey }) => OutputKey === 'BootstrapVersion')?.OutputValue ?? 0,
    );
    const message = `the CDK is bootstrapped in account ${account}, version ${version}`;
    return version < BOOTSTRAP_VERSION
      ? fault(`${message}: ${BOOTSTRAP_VERSION} is needed`, hint)
      : ok(message);
  } catch (error) {
    const { code, message } = explain(error);
    if (message.includes('does not exist')) return fault('the CDK is not bootstrapped here', hint);
    if (code !== 'ACCESS_DENIED') throw error;
    return warning(
      `whether the CDK is bootstrapped cannot be read: ${message}`,
      'The caller needs cloudformation:DescribeStacks.',
    );
  }
}

function isBaseUrl(text: string): boolean {
  return new RegExp(baseUrlPattern).test(text);
}

async function baseUrlFinding(baseUrl: string | undefined): Promise<Found> {
  if (baseUrl === undefined)
    return warning('no base URL of the marketplace was given', 'Give it: --marketplace-base-url URL.');
  if (!isBaseUrl(baseUrl)) return fault(`the base URL ${baseUrlRule}`, 'Correct --marketplace-base-url.');
  const answer = await request(`${baseUrl}/api/v1/partner/stores/warehouses`).catch(reasonOf);
  if (typeof answer === 'string')
    return fault(`${baseUrl} cannot be reached: ${answer}`, 'Is it right, and is there a network?');
  const { status } = answer;
  if (status === 401 || status === 403)
    return ok(`${baseUrl} answers, and refuses a request without a signature`);
  return warning(
    `${baseUrl} answers with status ${status} to a request without a signature`,
    'Is it the base URL of the Partner Marketplace API, without /api/v1?',
  );
}
