import { expect, it } from 'vitest';
import { connectorTemplate } from './support/stacks.ts';
import { type FunctionView, functionsOf } from './support/template.ts';

/** A function's grants, a line per resource. */
function describeGrants({ name, statements }: FunctionView): string {
  const actionsByResource = new Map<string, string[]>();
  for (const { actions, resources } of statements) {
    for (const resource of resources) {
      actionsByResource.set(resource, [...(actionsByResource.get(resource) ?? []), ...actions]);
    }
  }
  const lines = [...actionsByResource].map(
    ([resource, actions]) => `  ${resource}: ${[...new Set(actions)].sort().join(' ')}`,
  );
  return [name, ...lines.sort()].join('\n');
}

it('each function has exactly the grants of grants.txt, so that every change of a grant is visible', async () => {
  const grants = functionsOf(connectorTemplate()).map(describeGrants).sort();

  await expect(`${grants.join('\n\n')}\n`).toMatchFileSnapshot('grants.txt');
});

it('the grants of each function fit its inline policy: CDK would move the rest into a managed policy, which the local run does not know', () => {
  connectorTemplate().resourceCountIs('AWS::IAM::ManagedPolicy', 0);
});
