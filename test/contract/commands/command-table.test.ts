import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCommandTable } from '../../../shared/aws/command-table.ts';
import type { CommandStep } from '../../../shared/commands/model.ts';
import type { CommandTable } from '../../../shared/commands/ports.ts';
import { inMemoryCommandTable } from '../../unit/support/in-memory-command-table.ts';
import { ref, type StartedStack, startStack } from '../local/fixture.ts';

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

  test('changes at the same time all count', async () => {
    const table = tableOf();
    const commandId = 's#counted#0';
    const count = () =>
      table.update(commandId, (current) => step({ commandId, tries: (current?.tries ?? 0) + 1 }));
    await Promise.all(Array.from({ length: 8 }, count));
    expect(await table.update(commandId, () => undefined)).toMatchObject({ tries: 8 });
  });
}

describe('in memory', () => commandTableContract(inMemoryCommandTable));

describe('in DynamoDB', () => {
  let stack: StartedStack;
  let client: DynamoDBDocumentClient;
  let tableName: string;

  beforeAll(async () => {
    stack = await startStack({
      resources: {
        Commands: {
          Type: 'AWS::DynamoDB::Table',
          Properties: {
            BillingMode: 'PAY_PER_REQUEST',
            AttributeDefinitions: [{ AttributeName: 'commandId', AttributeType: 'S' }],
            KeySchema: [{ AttributeName: 'commandId', KeyType: 'HASH' }],
          },
        },
      },
      outputs: { Table: ref('Commands') },
    });
    tableName = stack.run.outputs.Table ?? '';
    client = DynamoDBDocumentClient.from(stack.dynamodb, {
      marshallOptions: { removeUndefinedValues: true },
    });
  });

  afterAll(async () => {
    await stack?.stop();
  });

  commandTableContract(() => createCommandTable(client, tableName));

  test('a step expires 30 days after it was started', async () => {
    const commandId = 's#expiring#0';
    await createCommandTable(client, tableName).update(commandId, () => step({ commandId }));
    const { Item } = await client.send(new GetCommand({ TableName: tableName, Key: { commandId } }));
    expect(Item?.expiresAt).toBe(Date.parse('2026-12-21T08:00:00.000Z') / 1000);
  });
});
