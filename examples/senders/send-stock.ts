import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { type EventInDetail, eventInSchemas } from 'marketplace-connector/events';

const detail: EventInDetail<'stock.changed'> = {
  storeClientId: 'store-1wh',
  occurredAt: Date.now(),
  items: [{ sku: 'SHOP-1', stock: 7 }],
};

const events = new EventBridgeClient();
const { FailedEntryCount } = await events.send(
  new PutEventsCommand({
    Entries: [
      {
        EventBusName: process.env.EVENT_BUS_NAME,
        Source: 'shop',
        DetailType: 'stock.changed',
        // Throws a ZodError that names each field at fault.
        Detail: JSON.stringify(eventInSchemas['stock.changed'].parse(detail)),
      },
    ],
  }),
);
if (FailedEntryCount) throw new Error('the event was not taken');
