import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { schemasOfEventsIn } from '../../shared/api-description/events-in.ts';
import { inputErrors } from '../../shared/errors/input-errors.ts';
import type { IncomingDetailType } from '../../shared/events/incoming.ts';
import type { Context } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { outputOf } from '../target/target.ts';

const SOURCE = 'marketplace-connector.cli';

/** @throws CliError that names each field at fault */
export function checkDetail(type: IncomingDetailType, detail: object): object {
  const parsed = schemasOfEventsIn[type].safeParse(detail, { error: inputErrors });
  if (parsed.success) return detail;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'detail'}: ${message}`);
  throw usageError(`the detail of ${type} breaks its schema: ${faults.join('; ')}`);
}

/**
 * Puts an event on the stack's bus.
 *
 * @returns its ID
 * @throws CliError if the bus refuses it
 */
export async function putEvent(
  { aws, target }: Pick<Context, 'aws' | 'target'>,
  DetailType: string,
  detail: object,
): Promise<string> {
  const { Entries: [entry] = [] } = await aws.events.send(
    new PutEventsCommand({
      Entries: [
        {
          EventBusName: outputOf(target, 'EventBusName'),
          Source: SOURCE,
          DetailType,
          Detail: JSON.stringify(detail),
        },
      ],
    }),
  );
  if (entry?.EventId !== undefined) return entry.EventId;
  throw new CliError(`the bus refused the event: ${entry?.ErrorMessage ?? 'no reason given'}`, {
    code: entry?.ErrorCode ?? 'EVENT_REFUSED',
    exitCode: EXIT.failed,
  });
}
