import * as z from 'zod';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import { endRestore } from '../../shared/limits/end-restore.ts';
import type { LimitTable } from '../../shared/limits/ports.ts';
import { type Route, route } from './route.ts';

interface RestorePorts {
  readonly limits: Pick<LimitTable, 'get' | 'create' | 'change'>;
  /** The partner whose limit is changed. */
  readonly partnerClientId: string;
  readonly restoredTables: string | undefined;
}

export function restoreRoutes({ limits, partnerClientId, restoredTables }: RestorePorts): Route[] {
  return [
    route(
      'POST /restore/end',
      {
        summary:
          'Sends from restored tables again, once all that came in since their time was replayed or sent again',
        answers: { 200: z.object({ restoredTables: z.string() }) },
      },
      async () => {
        if (restoredTables === undefined)
          throw new HttpError(409, 'NOT_RESTORED', 'the stack has tables of its own, and no restored ones');
        await endRestore(limits, partnerClientId, restoredTables);
        return { restoredTables };
      },
    ),
  ];
}
