import * as z from 'zod';
import {
  type DeleteDeadLettersPorts,
  deleteDeadLetters,
} from '../../shared/dead-letters/use-cases/delete-dead-letters.ts';
import { idSchema, type Route, route } from './route.ts';

const deletion = z.strictObject({
  messageIds: z.array(z.string().min(1).max(100)).min(1).max(100),
  /** Why the message is deleted. Kept with the rejection. */
  reason: z.string().trim().min(1).max(250),
});

/** Messages that could not be processed. */
export function deadLetterRoutes(ports: DeleteDeadLettersPorts): Route[] {
  return [
    route(
      'POST /dead-letters/{queue}/delete',
      {
        summary:
          'Deletes messages of a dead-letter queue that can never be processed. What they were about is rejected (`DEAD_LETTER_DELETED`) with the reason',
        path: z.object({ queue: idSchema }),
        body: deletion,
        answers: { 200: z.object({ deleted: z.array(z.string()), notFound: z.array(z.string()) }) },
      },
      async ({ path: { queue }, body }) => deleteDeadLetters(ports, { queue, ...body }),
    ),
  ];
}
