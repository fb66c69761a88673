import * as z from 'zod';
import { attentionListSchema } from '../../shared/attention/model.ts';
import { type ListAttentionPorts, listAttention } from '../../shared/attention/use-cases/list-attention.ts';
import { pageQuery, type Route, route } from './route.ts';

export function attentionRoutes(ports: ListAttentionPorts): Route[] {
  return [
    route(
      'GET /attention',
      {
        summary:
          'Everything that waits for a person, over all stores, the most harmful first, each with the calls that end it; `groups` has alike ones together. At most `limit` of each kind; `more` names the kinds with further entries',
        query: z.strictObject({ limit: pageQuery.limit }),
        answers: { 200: attentionListSchema },
      },
      async ({ query: { limit } }) => listAttention(ports, limit),
    ),
  ];
}
