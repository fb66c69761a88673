import { Duration } from 'aws-cdk-lib';
import type { FunctionDefinition } from '../connector-parts.ts';

export const laneWaker: FunctionDefinition = {
  description: 'Leaves a ticket for each lane that has work and no living lease',
  timeout: Duration.seconds(50),
  connect: (fn, { tables, queues, bus, marketplace }) => {
    fn.startEvery('EveryMinute', Duration.minutes(1));
    tables.waiting.allow(fn, 'Scan');
    tables.lanes.allow(fn, 'BatchGetItem');
    marketplace.allowMeasuring(fn);
    queues.wake.allowSend(fn);
    bus.allowPut(fn);
  },
};
