import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { type EventInDetail, eventInSchemas } from 'marketplace-connector/events';

const { EVENT_BUS_NAME } = process.env;
// Without a name an event goes to the default bus of the account, where no rule of the stack matches it.
if (!EVENT_BUS_NAME) throw new Error('EVENT_BUS_NAME must be the output EventBusName');

const detail: EventInDetail<'stock.changed'> = {
  storeClientId: 'store-0wh',
  occurredAt: Date.now(),
  items: [{ sku: 'DEMO-1', stock: 7 }],
};

const events = new EventBridgeClient();
const { FailedEntryCount } = await events.send(
  new PutEventsCommand({
    Entries: [
      {
        EventBusName: EVENT_BUS_NAME,
        Source: 'shop',
        DetailType: 'stock.changed',
        // Throws a ZodError that names each field at fault.
        Detail: JSON.stringify(eventInSchemas['stock.changed'].parse(detail)),
      },
    ],
  }),
);
if (FailedEntryCount) throw new Error('the event was not taken');
