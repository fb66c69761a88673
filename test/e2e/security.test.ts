import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';
import { importProducts } from './support/import-products.ts';

const templatePath = join(import.meta.dirname, '..', '..', 'cdk.out', 'MarketplaceConnector.template.json');

describe('the stack as it is synthesized', () => {
  let run: ConnectorRun;

  beforeAll(async () => {
    run = await startQuickRun();
  });

  afterAll(async () => {
    await run?.[Symbol.asyncDispose]();
  });

  test('refuses calls to the operations API without an IAM signature', async () => {
    const answer = await fetch(`${run.local.apiUrl}/stores`);
    expect(answer.status).toBe(403);
  });

  test('shows stores without their tokens', async () => {
    const { status, body } = await run.partner.callApi('GET', '/stores');
    expect(status).toBe(200);
    expect(body.stores).toHaveLength(3);
    expect(JSON.stringify(body)).not.toContain('token-store');
  });

  test('does not connect a store whose token the marketplace refuses', async () => {
    const { status, body } = await run.partner.callApi('PUT', '/stores/store-0wh', { storeToken: 'wrong' });
    expect(status).toBe(422);
    expect(body.error).toMatchObject({
      code: 'STORE_REFUSED',
      details: { marketplace: { code: 'AUTH_014' } },
    });
    const item = await run.partner.getItem('StoresTableName', { storeClientId: 'store-0wh' });
    expect(item).toMatchObject({ state: 'connected', storeToken: 'token-store-0wh' });
  });

  test('needs no permission that it does not have', async () => {
    await importProducts(run, 'store-1wh', 3);
    await run.local.idle();
    expect(run.local.accessDenied).toEqual([]);
  });
});

describe('the stack without one of its grants', () => {
  test('fails with AccessDenied where the grant is used', async () => {
    const template = JSON.parse(await readFile(templatePath, 'utf8'));
    removeAction(template, 'BucketsImports', 's3:GetObject');
    await using run = await startQuickRun({ template, templatePath });
    await run.partner.putImportFile('catalog/store-0wh/denied.ndjson', '{}\n');
    const denied = await until('the refusal', () =>
      run.local.accessDenied.find(({ action }) => action === 's3:GetObject'),
    );
    expect(denied.principal).toMatch(/catalogimporter/i);
  });
});

/** Removes an action on a resource from every policy statement that names it. */
function removeAction(
  template: { Resources: Record<string, unknown> },
  resource: string,
  action: string,
): void {
  let removed = 0;
  for (const candidate of Object.values(template.Resources)) {
    const { Type, Properties } = candidate as { Type: string; Properties: { PolicyDocument?: Policy } };
    if (Type !== 'AWS::IAM::Policy') continue;
    for (const statement of Properties.PolicyDocument?.Statement ?? []) {
      if (!JSON.stringify(statement.Resource).includes(resource)) continue;
      const actions = [statement.Action].flat();
      if (!actions.includes(action)) continue;
      statement.Action = [...actions.filter((name) => name !== action), 's3:GetObjectAcl'];
      removed += 1;
    }
  }
  if (removed === 0) throw new Error(`no policy allows ${action} on ${resource}`);
}

interface Policy {
  readonly Statement: { Action: string | string[]; readonly Resource: unknown }[];
}
