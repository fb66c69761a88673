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

const local = useLocalTables();

const request = {
  storeClientId: 's',
  kind: 'catalog-sync',
  commandId: 'c',
  rows: 1,
  requestKey: 'r',
} as const;

const begun = (number: number): CommandStep => ({
  commandId: `s#c#${number}`,
  attemptId: 'a-1',
  state: 'sending',
  uncertain: false,
  tries: 1,
  startedAt: '2026-11-21T08:00:00.000Z',
  begunAt: `2026-11-21T08:00:0${number}.000Z`,
  request,
});

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
  test('a step that breaks its schema is not changed, and is set apart from the others of a page', async () => {
    const { tableName, commands, putItem } = open();
    for (const number of [1, 3]) await commands.update(begun(number).commandId, () => begun(number));
    await putItem({ ...begun(2), request: { ...request, rows: 'none' as never }, open: 'yes' });
    const error = unreadable(
      tableName,
      's#c#2',
      'request.rows: Invalid input: expected number, received string',
    );
    await expect(commands.update('s#c#2', () => begun(2))).rejects.toEqual(error);
    const page = await commands.listOpen({ begunBefore: '2026-11-21T08:00:09.000Z' });
    expect(page).toEqual({ steps: [begun(1), begun(3)], unreadable: [error] });
  });
});

test('what is packed in a step and can not be unpacked is not quoted', async () => {
  const { tableName, commands, putItem } = openOnDynamoDb();
  await putItem({ ...begun(4), packed: brotliCompressSync('secret') });
  await expect(commands.update('s#c#4', () => undefined)).rejects.toEqual(
    unreadable(tableName, 's#c#4', 'its packed part'),
  );
});
