import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { laneSchema } from '../lanes/model.ts';
import type { LaneTable } from '../lanes/ports.ts';
import { cursorOf, pageOptions } from './page.ts';

/** The Lanes table: one item per store with its lease. Every write is one conditional update. */
export function createLaneTable(client: DynamoDBDocumentClient, tableName: string): LaneTable {
  const ensured = new Set<string>();

  const get: LaneTable['get'] = async (storeClientId) => {
    const { Item } = await client.send(
      new GetCommand({ TableName: tableName, Key: { storeClientId }, ConsistentRead: true }),
    );
    return Item === undefined ? undefined : laneSchema.parse(Item);
  };

  /** `false` where the condition does not hold. */
  const update = async (
    storeClientId: string,
    expression: { update: string; condition?: string; values: Record<string, unknown> },
  ): Promise<boolean> => {
    try {
      await client.send(
        new UpdateCommand({
          TableName: tableName,
          Key: { storeClientId },
          UpdateExpression: expression.update,
          ExpressionAttributeValues: expression.values,
          ...(expression.condition === undefined ? {} : { ConditionExpression: expression.condition }),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  };

  return {
    get,

    ensure: async (storeClientId) => {
      if (ensured.has(storeClientId)) return;
      await update(storeClientId, {
        update: 'SET nudges = if_not_exists(nudges, :none)',
        values: { ':none': 0 },
      });
      ensured.add(storeClientId);
    },

    acquire: async (storeClientId, { leaseId, now, until }) => {
      await update(storeClientId, {
        update: 'SET leaseId = :id, leaseUntil = :until, nudges = if_not_exists(nudges, :none)',
        condition: 'attribute_not_exists(leaseUntil) OR leaseUntil <= :now',
        values: { ':id': leaseId, ':until': until, ':now': now, ':none': 0 },
      });
      // Read in both cases: a repeat of our own lost answer fails the condition although the lease is ours.
      const lane = await get(storeClientId);
      return lane?.leaseId === leaseId ? lane : undefined;
    },

    nudge: async (storeClientId) => {
      await update(storeClientId, { update: 'ADD nudges :one', values: { ':one': 1 } });
    },

    extend: async (storeClientId, leaseId, until) => {
      const extended = await update(storeClientId, {
        update: 'SET leaseUntil = :until',
        condition: 'leaseId = :id AND leaseUntil < :until',
        values: { ':id': leaseId, ':until': until },
      });
      if (extended) return true;
      const lane = await get(storeClientId);
      return lane?.leaseId === leaseId && (lane.leaseUntil ?? 0) >= until;
    },

    release: async (storeClientId, { leaseId, nudges }) => {
      const released = await update(storeClientId, {
        update: 'REMOVE leaseId, leaseUntil',
        condition: 'leaseId = :id AND nudges = :nudges',
        values: { ':id': leaseId, ':nudges': nudges },
      });
      if (released) return 'released';
      return (await get(storeClientId))?.leaseId === leaseId ? 'nudged' : 'lost';
    },

    setAwaits: async (storeClientId, awaits) => {
      const makes = 'SET nudges = if_not_exists(nudges, :none)';
      await (awaits === undefined
        ? update(storeClientId, { update: `${makes} REMOVE awaits`, values: { ':none': 0 } })
        : update(storeClientId, {
            update: `${makes}, awaits = :awaits`,
            values: { ':none': 0, ':awaits': awaits },
          }));
    },

    list: async (options) => {
      const page = await client.send(
        new ScanCommand({ TableName: tableName, ConsistentRead: true, ...pageOptions(options) }),
      );
      return {
        lanes: (page.Items ?? []).map((item) => laneSchema.parse(item)),
        ...cursorOf(page.LastEvaluatedKey),
      };
    },
  };
}
