import { type Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import {
  type IGrantable,
  type IPrincipal,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { environmentNames, type Setting } from '../../shared/settings/environment.ts';

/** The VPC in which functions run. Default: outside any VPC. */
export interface FunctionNetwork {
  readonly vpc?: IVpc;
  readonly vpcSubnets?: SubnetSelection;
  readonly securityGroups?: ISecurityGroup[];
}

/** Actions that Lambda needs in the role of a function in a VPC. EC2 supports no resources for most of them. */
const NETWORK_ACTIONS = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

export interface ConnectorFunctionProps {
  /** Name of the service in logs and metrics, such as `change-intake`. */
  readonly serviceName: string;
  readonly description: string;
  /** Bundle with `index.mjs` that exports `handler`. */
  readonly code: Code;
  /** Time limit of one invocation. */
  readonly timeout: Duration;
  /** Memory in MiB; Lambda gives CPU in proportion to it. Default: 512. */
  readonly memorySize?: number;
  /** Whether Lambda samples its invocations for traces. */
  readonly isTraced: boolean;
  /** Days that logs are kept. */
  readonly logRetentionDays: RetentionDays;
  /** Default: none. */
  readonly network?: FunctionNetwork;
}

/**
 * A Lambda function that may only write its own logs and traces. Each construct that the function uses adds its grants and the
 * environment variables for it.
 */
export class ConnectorFunction extends Construct implements IGrantable {
  readonly lambda: LambdaFunction;
  readonly timeout: Duration;
  readonly grantPrincipal: IPrincipal;
  /** Whether a schedule starts the function. */
  isScheduled = false;

  constructor(scope: Construct, id: string, props: ConnectorFunctionProps) {
    super(scope, id);
    this.timeout = props.timeout;
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    this.grantPrincipal = role;
    this.lambda = new LambdaFunction(this, 'Function', {
      description: props.description,
      code: props.code,
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memorySize ?? 512,
      timeout: props.timeout,
      role,
      logGroup,
      tracing: props.isTraced ? Tracing.ACTIVE : Tracing.DISABLED,
      ...props.network,
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
        POWERTOOLS_SERVICE_NAME: props.serviceName,
        POWERTOOLS_METRICS_NAMESPACE: Stack.of(this).stackName,
      },
    });
    if (props.network?.vpc) this.allow(NETWORK_ACTIONS, ['*']);
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'Only xray:PutTraceSegments and xray:PutTelemetryRecords, and in a VPC the network interfaces of Lambda: none supports resources.',
    });
  }

  /**
   * Starts the function every `rate`. A missed or failed run is not retried: the retry could overlap with the next run, which does the
   * same work.
   *
   * @throws Error if the function may run for longer than `rate`
   */
  startEvery(ruleId: string, rate: Duration): void {
    if (this.timeout.toSeconds() > rate.toSeconds()) {
      throw new Error(`${this.node.path} may run for longer than until it is started again`);
    }
    this.isScheduled = true;
    this.lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: rate });
    new Rule(this, ruleId, {
      schedule: Schedule.rate(rate),
      targets: [new FunctionTarget(this.lambda, { retryAttempts: 0, maxEventAge: rate })],
    });
  }

  /** Sets settings in the function's environment. */
  set(settings: Partial<Record<Setting, string | number>>): void {
    for (const [setting, value] of Object.entries(settings)) {
      this.lambda.addEnvironment(environmentNames[setting as Setting], String(value));
    }
  }

  /**
   * Allows `actions` on `resources`.
   *
   * @param conditions IAM conditions by operator, such as `{StringEquals: {…}}`
   */
  allow(
    actions: readonly string[],
    resources: readonly string[],
    conditions?: Record<string, Record<string, string>>,
  ): void {
    this.lambda.addToRolePolicy(
      new PolicyStatement({
        actions: [...actions],
        resources: [...resources],
        ...(conditions && { conditions }),
      }),
    );
  }
}
