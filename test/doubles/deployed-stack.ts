import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Target } from '../../cli/target/target.ts';

/** An event of a log group. */
export interface LoggedEvent {
  readonly eventId: string;
  /** Epoch ms. */
  readonly timestamp: number;
  readonly message: string;
}

/** CloudFormation and CloudWatch Logs of a deployed stack, over their protocols. */
export interface DeployedStack {
  readonly target: Target;
  /** The events by log group: `group-of-` and the name of the function's construct. */
  readonly events: Map<string, LoggedEvent[]>;
  /** The first page of each question. */
  readonly asked: { logGroupName: string; startTime: number; filterPattern?: string }[];
  close(): void;
}

/** Answers two pages of resources, and one event per page of a log. It does not filter by patterns. */
export async function startDeployedStack(
  constructs: readonly [first: readonly string[], second: readonly string[]],
): Promise<DeployedStack> {
  const events: DeployedStack['events'] = new Map();
  const asked: DeployedStack['asked'] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.headers['x-amz-target']?.toString().endsWith('FilterLogEvents')) {
      const { nextToken = '0', ...query } = JSON.parse(body);
      if (nextToken === '0') asked.push(query);
      const ofGroup = events.get(query.logGroupName) ?? [];
      const found = ofGroup.filter(({ timestamp }) => timestamp >= query.startTime);
      const index = Number(nextToken);
      const next = index + 1 < found.length ? { nextToken: String(index + 1) } : {};
      response.setHeader('content-type', 'application/x-amz-json-1.1');
      response.end(JSON.stringify({ events: found.slice(index, index + 1), ...next }));
    } else {
      response.setHeader('content-type', 'text/xml');
      const isSecond = new URLSearchParams(body).get('NextToken') === 'second';
      response.end(isSecond ? resources(constructs[1]) : resources(constructs[0], 'second'));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  return {
    target: {
      name: 'Shop',
      isLocal: false,
      region: 'eu-west-1',
      credentials,
      endpoint,
      options: [],
      outputs: {},
    },
    events,
    asked,
    close: () => server.close(),
  };
}

function resources(names: readonly string[], next?: string): string {
  const members = names.map(
    (name) =>
      `<member><LogicalResourceId>Connector${name}LogsE01EDD3E</LogicalResourceId><PhysicalResourceId>group-of-${name}</PhysicalResourceId><ResourceType>AWS::Logs::LogGroup</ResourceType></member>`,
  );
  const token = next === undefined ? '' : `<NextToken>${next}</NextToken>`;
  return `<ListStackResourcesResponse><ListStackResourcesResult><StackResourceSummaries>${members.join('')}</StackResourceSummaries>${token}</ListStackResourcesResult></ListStackResourcesResponse>`;
}
