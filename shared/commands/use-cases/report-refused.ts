import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { CommandStep } from '../model.ts';
import { endStep, type RunStepPorts } from './run-step.ts';

export type ReportRefusedPorts = ReportRejectionsPorts & Pick<RunStepPorts, 'commands' | 'clock'>;

/**
 * Reports what a step's answer refused, and ends the step. However often this is done, and whoever does it, the same
 * rejections are reported: they are kept in the step until then. Without effect for any other step.
 */
export async function reportRefused(ports: ReportRefusedPorts, step: CommandStep | undefined): Promise<void> {
  if (step?.rejections === undefined) return;
  await reportRejections(ports, step.rejections);
  await endStep(ports, step.commandId, {});
}
