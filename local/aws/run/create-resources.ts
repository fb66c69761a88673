import type { StackResource } from '../template/read-stack.ts';

/** How resources of a type that has a state are made and removed. */
export interface ResourceKind {
  /** Creates a resource. Returns false if it exists from an earlier run: it is then brought up to date. */
  create(resource: StackResource): Promise<boolean>;
  /** @throws Error when the resource may not be deleted, because the real service would refuse it */
  remove(resource: StackResource): Promise<void>;
}

/** The creation of a resource failed, and the resources that the deployment had created were rolled back. */
export class CreationError extends Error {
  override readonly name = 'CreationError';
  /** Logical IDs of resources that the rollback left, each with the reason. */
  readonly leftOver: readonly string[];

  constructor(cause: unknown, leftOver: readonly string[]) {
    const left = leftOver.length === 0 ? 'nothing is left over' : `left over: ${leftOver.join('; ')}`;
    super(`The creation of the stack was rolled back, ${left}`, { cause });
    this.leftOver = leftOver;
  }
}

/**
 * Creates the resources of the stack as CloudFormation does, each after the resources that it refers to. When one fails, the resources
 * that this deployment has created are removed in the reverse order, unless their deletion policy is `Retain`. `RetainExceptOnCreate`
 * retains nothing here. Types that are not in `kinds` have no state.
 *
 * @param failsAt logical ID of a resource whose creation is to fail, for a test
 * @throws CreationError
 */
export async function createResources(
  resources: readonly StackResource[],
  kinds: Readonly<Record<string, ResourceKind>>,
  failsAt: string | undefined,
): Promise<void> {
  const created: StackResource[] = [];
  try {
    for (const resource of inOrderOfCreation(resources)) {
      if (resource.logicalId === failsAt) throw new Error(`${failsAt} fails, as the options ask for it`);
      if (await kinds[resource.type]?.create(resource)) created.push(resource);
    }
  } catch (error) {
    throw new CreationError(error, await rollBack(created.toReversed(), kinds));
  }
}

/** The resources in the template's order, but each after the resources that it refers to. */
export function inOrderOfCreation(resources: readonly StackResource[]): StackResource[] {
  const byId = new Map(resources.map((resource) => [resource.logicalId, resource]));
  const ordered = new Set<StackResource>();
  const visit = (resource: StackResource, path: readonly string[]): void => {
    if (ordered.has(resource)) return;
    if (path.includes(resource.logicalId)) throw new Error(`Circular dependency: ${path.join(' -> ')}`);
    for (const id of resource.needs) {
      const needed = byId.get(id);
      if (needed) visit(needed, [...path, resource.logicalId]);
    }
    ordered.add(resource);
  };
  for (const resource of resources) visit(resource, []);
  return [...ordered];
}

async function rollBack(
  created: readonly StackResource[],
  kinds: Readonly<Record<string, ResourceKind>>,
): Promise<string[]> {
  const leftOver: string[] = [];
  for (const resource of created) {
    const { logicalId, type, deletionPolicy } = resource;
    if (deletionPolicy === 'Retain') leftOver.push(`${logicalId}: its deletion policy is Retain`);
    else {
      await kinds[type]?.remove(resource).catch((error: unknown) => {
        leftOver.push(`${logicalId}: ${error instanceof Error ? error.message : String(error)}`);
      });
    }
  }
  return leftOver;
}
