import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

/** A topic that sends the alarms of this account to an e-mail address, once its owner has confirmed the subscription. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, props: { readonly email: string; readonly displayName: string }) {
    // `enforceSSL` adds a policy, which replaces the default policy. Only the default policy let alarms of the account publish.
    super(scope, id, { enforceSSL: true, displayName: props.displayName });
    this.addSubscription(new EmailSubscription(props.email));
    this.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
  }
}
