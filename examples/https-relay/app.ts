import { App, CfnParameter, Duration, SecretValue, Stack } from 'aws-cdk-lib';
import { ApiDestination, Authorization, Connection, EventBus, Rule } from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { EVENT_SOURCE, type EventOutType } from 'marketplace-connector/events';

const TYPES: EventOutType[] = ['batch.completed', 'rows.rejected', 'document.stored'];

const app = new App();
const stack = new Stack(app, 'Relay');
const busName = new CfnParameter(stack, 'EventBusName');
const endpoint = new CfnParameter(stack, 'Endpoint', { allowedPattern: '^https://.+' });

// EventBridge sends the key of the secret `relay-api-key` in a header of each request.
const connection = new Connection(stack, 'Connection', {
  authorization: Authorization.apiKey('x-api-key', SecretValue.secretsManager('relay-api-key')),
});
const destination = new ApiDestination(stack, 'Destination', {
  connection,
  endpoint: endpoint.valueAsString,
  rateLimitPerSecond: 10,
});
new Rule(stack, 'Rule', {
  eventBus: EventBus.fromEventBusName(stack, 'Bus', busName.valueAsString),
  eventPattern: { source: [EVENT_SOURCE], detailType: TYPES },
  targets: [
    new targets.ApiDestination(destination, {
      // What the endpoint has not taken within a day.
      deadLetterQueue: new Queue(stack, 'DeadLetters', {
        retentionPeriod: Duration.days(14),
        enforceSSL: true,
      }),
      maxEventAge: Duration.days(1),
      retryAttempts: 185,
    }),
  ],
});
