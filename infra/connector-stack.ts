import { CfnOutput, CfnParameter, Stack, type StackProps } from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { baseUrlPattern, baseUrlRule } from '../shared/settings/stack-rules.ts';
import { AlarmTopic } from './constructs/alarm-topic.ts';
import type { FunctionName } from './function-names.ts';
import {
  MarketplaceConnector,
  partnerClientIdPattern,
  partnerClientIdRule,
} from './marketplace-connector.ts';
import type { StackSettings } from './setting-fields.ts';
import { connectorSettingsOf, refusesDeletion } from './settings.ts';

export interface ConnectorStackProps extends StackProps {
  /** The bundle of each function: a folder or archive with `index.mjs`. */
  readonly code: (name: FunctionName) => Code;
  readonly settings: StackSettings;
}

/**
 * The connector in a stack of its own. The stack parameters `MarketplaceBaseUrl` and `PartnerClientId` differ per
 * deployment.
 */
export class ConnectorStack extends Stack {
  constructor(scope: Construct, id: string, props: ConnectorStackProps) {
    const { code, settings: allSettings, ...stackProps } = props;
    const settings = connectorSettingsOf(allSettings);
    super(scope, id, {
      ...stackProps,
      terminationProtection: stackProps.terminationProtection ?? refusesDeletion(settings),
      tags: { application: 'marketplace-connector', ...tagsOf(allSettings), ...stackProps.tags },
    });
    const { permissionsBoundaryArn } = allSettings;
    if (permissionsBoundaryArn) {
      PermissionsBoundary.of(this).apply(
        ManagedPolicy.fromManagedPolicyArn(this, 'PermissionsBoundary', permissionsBoundaryArn),
      );
    }
    const baseUrl = new CfnParameter(this, 'MarketplaceBaseUrl', {
      description: 'Base URL of the Partner Marketplace API, without /api/v1 and without a slash at its end',
      allowedPattern: baseUrlPattern,
      constraintDescription: baseUrlRule,
    });
    const partnerClientId = new CfnParameter(this, 'PartnerClientId', {
      description: 'Partner client ID that the marketplace issued',
      allowedPattern: partnerClientIdPattern,
      constraintDescription: partnerClientIdRule,
    });
    const topics = this.alarmTopics(allSettings);
    // This ID adds nothing to the logical IDs of the resources.
    const { outputs } = new MarketplaceConnector(this, 'Default', {
      marketplaceBaseUrl: baseUrl.valueAsString,
      partnerClientId: partnerClientId.valueAsString,
      settings,
      code,
      ...topics,
    });
    const topicArns = {
      ...(topics && {
        AlarmTopicArn: topics.alarmTopic.topicArn,
        NextDayAlarmTopicArn: topics.nextDayAlarmTopic.topicArn,
      }),
    };
    for (const [name, value] of Object.entries({ ...outputs, ...topicArns }))
      new CfnOutput(this, name, { value, description: descriptionOf(name) });
  }

  private alarmTopics({ alarmTopicArn, alarmEmail: email, nextDayAlarmTopicArn }: StackSettings) {
    const ofNextDay = () =>
      nextDayAlarmTopicArn && Topic.fromTopicArn(this, 'NextDayAlarmTopic', nextDayAlarmTopicArn);
    if (alarmTopicArn) {
      const alarmTopic = Topic.fromTopicArn(this, 'AlarmTopic', alarmTopicArn);
      return { alarmTopic, nextDayAlarmTopic: ofNextDay() || alarmTopic };
    }
    if (!email) return undefined;
    return {
      alarmTopic: new AlarmTopic(this, 'AlarmTopic', { email, displayName: 'Urgent alarms' }),
      nextDayAlarmTopic:
        ofNextDay() ||
        new AlarmTopic(this, 'NextDayAlarmTopic', { email, displayName: 'Alarms for the next day' }),
    };
  }
}

/** Descriptions of the outputs in CloudFormation's console. docs/deploy.md has the same with links. */
const outputDescriptions: Readonly<Record<string, string>> = {
  EventBusName: 'Bus of the events in and out',
  ChangeArchiveArn: 'Archive of the changes of stock and prices that came in, which a restore replays',
  ChangesRuleArn: 'Rule through which a restore replays the changes',
  ApiUrl: 'Base URL of the HTTP API',
  WebhookUrl: 'URL to which the marketplace has to send its final summaries',
  DomainTarget: 'Where the DNS record of domainName has to lead',
  BatchesTableName: 'Table of the batches, to look into: programs read the HTTP API',
  ListingsTableName: 'Table of the listings, to look into: programs read the HTTP API',
  StoresTableName: 'Table of the stores, to look into: programs read the HTTP API',
  DocumentBucketName: 'Bucket of shipping labels and invoices',
  ImportBucketName: 'Bucket that takes files of products, stock and prices',
  ChangesQueueUrl: 'Queue of stock and price changes, for those who skip the bus',
  PartnerSecretArn: 'Secret that holds the secret key of the partner; nothing is sent before it is set',
  DataKeyArn: 'Key over store tokens, partner secret and documents',
  AlarmTopicArn: 'Topic of the urgent alarms',
  NextDayAlarmTopicArn: 'Topic of the alarms that can wait for the next day',
};

function descriptionOf(output: string): string {
  const [, queue] = /^(\w+)DeadLettersArn$/.exec(output) ?? [];
  return queue ? `Dead-letter queue of the queue ${queue}` : (outputDescriptions[output] ?? '');
}

function tagsOf({ tags }: StackSettings): Record<string, string> {
  return Object.fromEntries((tags?.split(',') ?? []).map((tag) => tag.split('=')));
}
