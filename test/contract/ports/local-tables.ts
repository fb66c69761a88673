import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll } from 'vitest';
import { createConnectorStack } from '../../infra/support/stacks.ts';
import { type StartedStack, startStack } from '../local/fixture.ts';

/** The resources that the tables' templates refer to. */
const RESOURCE_TYPES = new Set(['AWS::DynamoDB::Table', 'AWS::KMS::Key']);

/** The tables of the synthesized stack, without the rest of the stack, on the local AWS. */
export interface LocalTables {
  readonly started: StartedStack;
  readonly client: DynamoDBDocumentClient;
  /** Physical name of the table whose construct has this ID, such as `Listings`. */
  tableName(construct: string): string;
}

/** Starts the tables before a file's tests and stops them after. */
export function useLocalTables(): () => LocalTables {
  let tables: LocalTables | undefined;
  beforeAll(async () => {
    tables = await startLocalTables();
  });
  afterAll(() => tables?.started.stop());
  return () => {
    if (tables === undefined) throw new Error('the tables are not started yet');
    return tables;
  };
}

async function startLocalTables(): Promise<LocalTables> {
  const template: { Resources: Record<string, { Type: string }> } = Template.fromStack(
    createConnectorStack(),
  ).toJSON() as never;
  const resources = Object.fromEntries(
    Object.entries(template.Resources).filter(([, { Type }]) => RESOURCE_TYPES.has(Type)),
  );
  const outputs = Object.fromEntries(Object.keys(resources).map((id) => [id, { Ref: id }]));
  const started = await startStack({ resources, outputs });
  return {
    started,
    client: DynamoDBDocumentClient.from(started.dynamodb, {
      marshallOptions: { removeUndefinedValues: true },
    }),
    tableName: (construct) => {
      const name = Object.entries(started.run.outputs).find(([id]) =>
        id.startsWith(`Tables${construct}`),
      )?.[1];
      if (name === undefined) throw new Error(`the template has no table ${construct}`);
      return name;
    },
  };
}
