import { brotliCompressSync } from 'node:zlib';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { createCommandTable } from '../../../shared/aws/command-table.ts';
import type { CommandStep } from '../../../shared/commands/model.ts';
import type { CommandTable } from '../../../shared/commands/ports.ts';
import { ConnectorError } from '../../../shared/errors/connector-error.ts';
import { inMemoryCommandTable } from '../../doubles/in-memory-command-table.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId, readAllPages } from './support.ts';
import { versionedTableContract } from './versioned-table-contract.ts';

const local = useLocalTables();

const step = (facts: Partial<CommandStep> = {}): CommandStep => ({
  commandId: 's#c#0',
  attemptId: 'a-1',
  state: 'sending',
  uncertain: false,
  tries: 1,
  startedAt: '2026-11-21T08:00:00.000Z',
  ...facts,
});

const request = {
  storeClientId: 's',
  kind: 'catalog-sync',
  commandId: 'c',
  rows: 1,
  requestKey: 'r',
} as const;

interface Opened {
  readonly tableName: string;
  readonly commands: CommandTable;
  /** Puts an item as it is, whatever is wrong with it. */
  readonly putItem: (item: CommandStep & Record<string, unknown>) => Promise<unknown>;
}

function openInMemory(): Opened {
  const items = new VersionedItems<CommandStep>();
  const putItem: Opened['putItem'] = async (item) => items.replace(item.commandId, item, undefined, {});
  return { tableName: 'Commands', commands: inMemoryCommandTable(undefined, items), putItem };
}

function openOnDynamoDb(): Opened {
  const { client } = local();
  const tableName = local().tableName('Commands');
  return {
    tableName,
    commands: createCommandTable(client, tableName),
    putItem: (Item) => client.send(new PutCommand({ TableName: tableName, Item })),
  };
}

const unreadable = (tableName: string, commandId: string, fault: string) =>
  new ConnectorError(`${tableName} ${JSON.stringify({ commandId })} can not be read: ${fault}`, {
    code: 'RECORD_UNREADABLE',
  });

describe.each<[string, () => Opened]>([
  ['in memory', openInMemory],
  ['on DynamoDB', openOnDynamoDb],
])('CommandTable %s', (_, open) => {
  versionedTableContract<CommandStep>(() => {
    const { commands } = open();
    const commandId = freshId('s#counted');
    return {
      update: (change) => commands.update(commandId, change),
      numbered: (tries) => step({ commandId, tries }),
      numberOf: ({ tries }) => tries,
    };
  });

  test('a change sees the newest step and replaces it whole', async () => {
    const table = open().commands;
    const commandId = 's#replaced#0';
    await table.update(commandId, () => step({ commandId, code: 'VAL_001' }));
    await table.update(commandId, (current) =>
      current ? step({ commandId, tries: current.tries + 1 }) : undefined,
    );
    expect(await table.update(commandId, () => undefined)).toEqual(step({ commandId, tries: 2 }));
  });

  test('a step whose answer refused 1,000 rows is kept whole', async () => {
    const table = open().commands;
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

  test('lists the open steps that were begun before a time, the oldest first, page by page', async () => {
    const table = open().commands;
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
    const ids = listed.map(({ commandId }) => commandId).filter((id) => id.startsWith('s#open#'));
    expect(ids).toEqual(['s#open#1', 's#open#2', 's#open#3']);
  });

  test('a step that breaks its schema is not changed, and is set apart from the others of a page', async () => {
    const { tableName, commands, putItem } = open();
    const begun = (number: number) =>
      step({ commandId: `s#apart#${number}`, begunAt: `2026-11-21T08:00:0${number}.000Z`, request });
    for (const number of [1, 3]) await commands.update(begun(number).commandId, () => begun(number));
    await putItem({ ...begun(2), request: { ...request, rows: 'none' as never }, open: 'yes' });
    const error = unreadable(
      tableName,
      's#apart#2',
      'request.rows: Invalid input: expected number, received string',
    );
    await expect(commands.update('s#apart#2', () => begun(2))).rejects.toEqual(error);
    const page = await commands.listOpen({ begunBefore: '2026-11-21T08:00:09.000Z' });
    expect(page).toEqual({ steps: [begun(1), begun(3)], unreadable: [error] });
  });
});

describe('CommandTable on DynamoDB alone', () => {
  test('what is packed in a step and can not be unpacked is not quoted', async () => {
    const { tableName, commands, putItem } = openOnDynamoDb();
    await putItem({ ...step({ commandId: 's#packed#0' }), packed: brotliCompressSync('secret') });
    await expect(commands.update('s#packed#0', () => undefined)).rejects.toEqual(
      unreadable(tableName, 's#packed#0', 'its packed part'),
    );
  });
});
