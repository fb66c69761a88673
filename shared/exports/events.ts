import type * as z from 'zod';
import type { schemasOfEventsIn } from '../api-description/events-in.ts';
import type { outgoingDetailSchemas } from '../events/outgoing.ts';

export { schemasOfEventsIn as eventInSchemas } from '../api-description/events-in.ts';
export { outgoingDetailSchemas as eventOutSchemas } from '../events/outgoing.ts';
export { EVENT_SOURCE } from '../settings/stack-rules.ts';

/** The `detail-type` of an event that partners put on the bus. */
export type EventInType = keyof typeof schemasOfEventsIn;

/** The `detail` of such an event, as a partner writes it. */
export type EventInDetail<T extends EventInType> = z.input<(typeof schemasOfEventsIn)[T]>;

/** The `detail-type` of an event that the connector puts on the bus. */
export type EventOutType = keyof typeof outgoingDetailSchemas;

/** The `detail` of such an event. */
export type EventOutDetail<T extends EventOutType> = z.output<(typeof outgoingDetailSchemas)[T]>;
