import * as z from 'zod';
import { attentionKindSchema, attentionSchema } from '../../shared/attention/model.ts';
import { type ListAttentionPorts, listAttention } from '../../shared/attention/use-cases/list-attention.ts';
import { pageQuery, type Route, route } from './route.ts';

export function attentionRoutes(ports: ListAttentionPorts): Route[] {
  return [
    route(
      'GET /attention',
      {
        summary:
          'Everything that waits for a person, over all stores, oldest first, each with the call that ends it. At most `limit` of each kind; `more` names the kinds with further entries',
        query: z.strictObject({ limit: pageQuery.limit }),
        answers: {
          200: z.object({ attention: z.array(attentionSchema), more: z.array(attentionKindSchema) }),
        },
      },
      async ({ query: { limit } }) => listAttention(ports, limit),
    ),
  ];
}
