import type { Rejection } from '../../rejections/model.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { CommandTable } from '../ports.ts';
import { begun, done } from '../rules/steps.ts';

export interface ReportOncePorts extends ReportRejectionsPorts {
  readonly commands: Pick<CommandTable, 'update'>;
  readonly clock: { now(): number };
}

/** Reports a command's rejections as a step of its own, so that a redelivered command does not report them again. */
export async function reportOnce(
  ports: ReportOncePorts,
  key: string,
  rejections: readonly Rejection[],
): Promise<void> {
  if (rejections.length === 0) return;
  const at = new Date(ports.clock.now()).toISOString();
  const step = await ports.commands.update(key, (current) =>
    begun(current, { commandId: key, attemptId: key, at }),
  );
  if (step?.state === 'done') return;
  await reportRejections(ports, rejections);
  await ports.commands.update(key, (current) => done(current, {}, at));
}
