import { App, CfnOutput, CfnParameter, Stack } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { MarketplaceConnector } from 'marketplace-connector';
import { Subscription } from './subscription.ts';

const app = new App();
const stack = new Stack(app, 'Shop', { terminationProtection: true });
const baseUrl = new CfnParameter(stack, 'MarketplaceBaseUrl');
const partnerClientId = new CfnParameter(stack, 'PartnerClientId');

const connector = new MarketplaceConnector(stack, 'Connector', {
  marketplaceBaseUrl: baseUrl.valueAsString,
  partnerClientId: partnerClientId.valueAsString,
  eventBus: new EventBus(stack, 'Events'),
  alarmTopic: new Topic(stack, 'Operators'),
  settings: { requestsPerSecond: 10, productNames: 'sku' },
});

new Subscription(stack, 'Answers', {
  bus: connector.eventBus,
  types: ['store.connected', 'batch.completed', 'rows.rejected'],
});
for (const [name, value] of Object.entries(connector.outputs)) new CfnOutput(stack, name, { value });
