import { compareCommands, type GivenUpdate } from '../../world/products/given-commands.ts';
import type { ProductWorld } from '../../world/products/product-world.ts';
import { unbatched } from '../batch-rejections.ts';

/** The field by which the marketplace refuses an update. */
const REFUSED_FIELD = 'description';

type Given = Pick<ProductWorld, 'commands' | 'tables'>;

/**
 * Whether the price and stock of an update with a field that the marketplace refuses must not be applied. They may be
 * applied only if a newer update has set that field, or may have set it, and the update is not reported as rejected: it is
 * then done without the field.
 */
export function isRefusedWhole(given: Given, update: GivenUpdate): boolean {
  return isRejected(given, update) || !isFieldSuperseded(given, update, REFUSED_FIELD);
}

/**
 * P3: what a batch says of an update that was read back is true. One that is accepted had an effect, or newer updates have
 * set all its fields, or may have set them; one that is rejected had none.
 */
export function checkUpdatesReadBack(world: ProductWorld): void {
  const { commands, tables, effects, simulation } = world;
  for (const { kind, rows, commandId = '' } of tables.batches.all()) {
    const update = commands.get(commandId);
    if (kind !== 'product-update' || update?.kind !== 'update') continue;
    const hadEffect = effects.updated.has(commandId);
    if (rows.rejected > 0 && hadEffect && !effects.removedBy.has(update.productId))
      simulation.violate(`P3: update ${commandId} is read back as rejected, and had an effect`);
    if (rows.accepted === 0 || hadEffect) continue;
    const missing = update.fields.filter((field) => !isFieldSuperseded(world, update, field));
    if (missing.length > 0)
      simulation.violate(`P3: update ${commandId} is accepted, and never set ${missing.join(' and ')}`);
  }
}

function isFieldSuperseded(given: Given, update: GivenUpdate, field: string): boolean {
  return [...given.commands.values()].some(
    (other) =>
      other.kind === 'update' &&
      other.productId === update.productId &&
      other.fields.includes(field) &&
      compareCommands(other, update) > 0 &&
      !isRejected(given, other) &&
      wasSigned(given, other),
  );
}

function isRejected({ tables: { rejections, batches } }: Given, { commandId }: GivenUpdate): boolean {
  return (
    unbatched(rejections).some((one) => one.commandId === commandId) ||
    batches.all().some((batch) => batch.commandId === commandId && batch.state === 'failed')
  );
}

/** Whether a request with the update may have left. */
function wasSigned({ tables: { records } }: Given, { commandId }: GivenUpdate): boolean {
  return records
    .all()
    .some(
      ({ signedAt, commands }) =>
        signedAt !== undefined && commands.some((command) => command.commandId === commandId),
    );
}
