import { stepKey } from '../../commands/model.ts';
import { type ReportOncePorts, reportOnce } from '../../commands/use-cases/report-once.ts';
import type { CommandPack } from '../model.ts';
import type { CheckedRows } from '../rules/check-rows.ts';
import { rejectionOfRow } from '../rules/row-rejection.ts';

/**
 * Reports the rows of a pack that break a rule.
 *
 * @returns how many there are.
 */
export async function rejectFaulty(
  ports: ReportOncePorts,
  { storeClientId, packId, detailType }: CommandPack,
  faulty: CheckedRows['faulty'],
): Promise<number> {
  const rejections = faulty.map(({ row, fault }) => rejectionOfRow(row, fault));
  await reportOnce(ports, stepKey(storeClientId, packId, `rejections#${detailType}`), rejections);
  return rejections.length;
}
