import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { createCommandTable } from '../../../shared/aws/command-table.ts';
import type { CommandStep } from '../../../shared/commands/model.ts';
import type { CommandTable } from '../../../shared/commands/ports.ts';
import { inMemoryCommandTable } from '../../doubles/in-memory-command-table.ts';
import { useLocalTables } from '../ports/local-tables.ts';
import { readAllPages } from '../ports/support.ts';

const step = (facts: Partial<CommandStep> = {}): CommandStep => ({
  commandId: 's#c#0',
  attemptId: 'a-1',
  state: 'sending',
  uncertain: false,
  tries: 1,
  startedAt: '2026-11-21T08:00:00.000Z',
  ...facts,
});

/** What every Commands table does. */
function commandTableContract(tableOf: () => CommandTable): void {
  test('a step that is not there is made, and found again', async () => {
    const table = tableOf();
    const commandId = 's#made#0';
    expect(
      await table.update(commandId, (current) => (current === undefined ? step({ commandId }) : undefined)),
    ).toEqual(step({ commandId }));
    expect(await table.update(commandId, () => undefined)).toEqual(step({ commandId }));
  });

  test('a change that leaves nothing there makes nothing', async () => {
    expect(await tableOf().update('s#none#0', () => undefined)).toBeUndefined();
  });

  test('a change sees the newest step and replaces it whole', async () => {
    const table = tableOf();
    const commandId = 's#replaced#0';
    await table.update(commandId, () => step({ commandId, code: 'VAL_001' }));
    await table.update(commandId, (current) =>
      current ? step({ commandId, tries: current.tries + 1 }) : undefined,
    );
    expect(await table.update(commandId, () => undefined)).toEqual(step({ commandId, tries: 2 }));
  });

  test('a step whose answer refused 1,000 rows is kept whole', async () => {
    const table = tableOf();
    const rejectedRows = Array.from({ length: 1000 }, (_, rowIndex) => ({
      rowIndex,
      code: 'VAL_001',
      message: `the row breaks a rule: ${'x'.repeat(500)}`,
      sku: `SKU-${rowIndex}`,
    }));
    const refused = step({
      commandId: 's#large#0',
      state: 'answered',
      answer: {
        batchId: 'b-1',
        kind: 'product-create',
        storeClientId: 's',
        attemptId: 'a-1',
        submittedAt: '2026-11-21T08:00:01.000Z',
        deadlineAt: '2026-11-21T08:15:01.000Z',
        sentRows: 1000,
        rejectedRows,
        endsBy: 'answer',
      },
    });
    await table.update(refused.commandId, () => refused);
    expect(await table.update(refused.commandId, () => undefined)).toEqual(refused);
  });

  test('changes at the same time all count', async () => {
    const table = tableOf();
    const commandId = 's#counted#0';
    const count = () =>
      table.update(commandId, (current) => step({ commandId, tries: (current?.tries ?? 0) + 1 }));
    await Promise.all(Array.from({ length: 8 }, count));
    expect(await table.update(commandId, () => undefined)).toMatchObject({ tries: 8 });
  });

  test('lists the open steps that were begun before a time, the oldest first, page by page', async () => {
    const table = tableOf();
    const request = {
      storeClientId: 's',
      kind: 'catalog-sync',
      commandId: 'c',
      rows: 1,
      requestKey: 'r',
    } as const;
    const put = async (number: number, facts: Partial<CommandStep> = {}) => {
      const commandId = `s#open#${number}`;
      const begunAt = `2026-11-21T09:00:0${number}.000Z`;
      await table.update(commandId, () => step({ commandId, begunAt, request, ...facts }));
    };
    await put(3);
    await put(1, { state: 'waiting', uncertain: true });
    await put(2, { state: 'answered' });
    await put(4, { state: 'done' });
    await put(5, { state: 'waiting' });
    await put(6);
    await put(6, { state: 'done' });
    await put(7, { request: undefined });
    await put(9);
    const listed = await readAllPages(async (page) => {
      const { steps, ...rest } = await table.listOpen({ begunBefore: '2026-11-21T09:00:09.000Z', ...page });
      return { entries: steps, ...rest };
    });
    expect(listed.map(({ commandId }) => commandId)).toEqual(['s#open#1', 's#open#2', 's#open#3']);
  });
}

describe('in memory', () => {
  const table = inMemoryCommandTable();
  commandTableContract(() => table);
});

describe('in DynamoDB', () => {
  const local = useLocalTables();
  const tableOf = () => createCommandTable(local().client, local().tableName('Commands'));

  commandTableContract(tableOf);

  test('a step expires 30 days after it was started', async () => {
    const commandId = 's#expiring#0';
    await tableOf().update(commandId, () => step({ commandId }));
    const TableName = local().tableName('Commands');
    const { Item } = await local().client.send(new GetCommand({ TableName, Key: { commandId } }));
    expect(Item?.expiresAt).toBe(Date.parse('2026-12-21T08:00:00.000Z') / 1000);
  });
});
