import * as z from 'zod';
import { laneViewSchema, limiterViewSchema } from '../../../shared/flow/model.ts';
import type { ApiClient } from '../../clients/api-client.ts';

const flowSchema = z.object({
  limiter: limiterViewSchema,
  lanes: z.array(laneViewSchema),
  cursor: z.string().optional(),
});
/** The rate limiter, and the lanes of the first stores. */
export type Flow = z.infer<typeof flowSchema>;

/** Lanes that are shown: each costs the stack a query. */
const LANES_SHOWN = 50;

export async function readFlow(api: ApiClient): Promise<Flow> {
  return api.call(flowSchema, 'GET', ['flow'], { query: { limit: LANES_SHOWN } });
}
