import type { Rejection } from '../../../shared/rejections/model.ts';
import { type CommandPlan, planKey } from '../../../shared/requests/model.ts';
import { REUSED_ID } from '../../../shared/requests/rules/deferral.ts';
import type { VersionedItems } from '../../doubles/versioned-items.ts';
import type { Simulation } from '../engine/simulation.ts';

/**
 * The rejections of commands: none is stored before the plan of its command. Another delivery may store another plan until then,
 * and have the command performed.
 */
export class PlannedRejections extends Map<string, Rejection> {
  readonly #simulation: Simulation;
  readonly #plans: VersionedItems<CommandPlan>;

  constructor(simulation: Simulation, plans: VersionedItems<CommandPlan>) {
    super();
    this.#simulation = simulation;
    this.#plans = plans;
  }

  override set(key: string, rejection: Rejection): this {
    const { storeClientId, commandId, detailType, origin, code } = rejection;
    // Rows of files are rejected before they are in a command, and a reused ID has the plan of its owner.
    const isOfCommand = commandId !== undefined && detailType !== undefined && origin === undefined;
    if (isOfCommand && code !== REUSED_ID.code) {
      if (this.#plans.read(planKey({ storeClientId, commandId, detailType })) === undefined)
        this.#simulation.violate(`P3: ${commandId} is rejected with ${code} before it has a plan`);
    }
    return super.set(key, rejection);
  }
}
