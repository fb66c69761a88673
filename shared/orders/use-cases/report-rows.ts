import { createHash } from 'node:crypto';
import { stepKey } from '../../commands/model.ts';
import { type ReportOncePorts, reportOnce } from '../../commands/use-cases/report-once.ts';
import type { Rejection } from '../../rejections/model.ts';
import type { OrderCommand } from '../model.ts';

/**
 * Reports rows of a command that are rejected together. A delivery that finds what an earlier one found does not report
 * it again; one that finds anything else does.
 */
export async function reportRows(
  ports: ReportOncePorts,
  { storeClientId, commandId }: OrderCommand,
  rejections: readonly Rejection[],
): Promise<void> {
  const digest = createHash('sha256').update(JSON.stringify(rejections)).digest('base64url');
  await reportOnce(ports, stepKey(storeClientId, commandId, `rejections#${digest}`), rejections);
}
