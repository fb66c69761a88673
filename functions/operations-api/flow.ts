import * as z from 'zod';
import { laneViewSchema, limiterViewSchema } from '../../shared/flow/model.ts';
import { type ShowFlowPorts, showFlow } from '../../shared/flow/use-cases/show-flow.ts';
import { pageOf, pageQuery, type Route, route, wholeNumber } from './route.ts';

export function flowRoutes(ports: ShowFlowPorts): Route[] {
  return [
    route(
      'GET /flow',
      {
        summary: 'The rate limiter, and what waits in the lanes of the stores, in pages of stores',
        query: z.strictObject({
          ...pageQuery,
          /** Only lanes with at least this many failed requests since the last answered one. */
          tries: wholeNumber(z.int().min(1)).optional(),
        }),
        answers: { 200: pageOf({ limiter: limiterViewSchema, lanes: z.array(laneViewSchema) }) },
      },
      async ({ query }) => showFlow(ports, query),
    ),
  ];
}
