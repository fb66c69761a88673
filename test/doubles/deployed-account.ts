import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What the local run has no service for: CloudFormation, SNS and Lambda's settings of an account, over their protocols. */
export interface DeployedAccount extends AsyncDisposable {
  /** Variables with which AWS's SDKs find these services here, and all others at `endpoint`. */
  readonly environment: NodeJS.ProcessEnv;
}

export interface AccountFacts {
  /** Where all other services are. */
  readonly endpoint: string;
  /** The outputs of each stack. */
  readonly stacks: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** ARNs of the subscriptions of every topic. */
  readonly subscriptions: readonly string[];
  readonly concurrency: number;
}

export async function startDeployedAccount(facts: AccountFacts): Promise<DeployedAccount> {
  const server = createServer(async (request, response) => {
    const body = new URLSearchParams(await text(request));
    if (request.url?.endsWith('/account-settings')) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ AccountLimit: { UnreservedConcurrentExecutions: facts.concurrency } }));
      return;
    }
    response.setHeader('content-type', 'text/xml');
    const answer = body.get('Action') === 'DescribeStacks' ? stackNamed(facts, body) : subscribers(facts);
    response.statusCode = answer.startsWith('<ErrorResponse') ? 400 : 200;
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    environment: {
      AWS_ENDPOINT_URL: facts.endpoint,
      AWS_ENDPOINT_URL_CLOUDFORMATION: url,
      AWS_ENDPOINT_URL_SNS: url,
      AWS_ENDPOINT_URL_LAMBDA: url,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_REGION: 'us-east-1',
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function stackNamed({ stacks }: AccountFacts, query: URLSearchParams): string {
  const name = query.get('StackName') ?? '';
  const outputs = stacks[name];
  if (outputs === undefined)
    return `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message></Error></ErrorResponse>`;
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value.replaceAll('&', '&amp;')}</OutputValue></member>`,
  );
  return `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>${name}</StackName><StackId>arn:aws:cloudformation:us-east-1:000000000000:stack/${name}/1</StackId><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
}

function subscribers({ subscriptions }: AccountFacts): string {
  const members = subscriptions.map(
    (arn) =>
      `<member><SubscriptionArn>${arn}</SubscriptionArn><Endpoint>operators@partner.example</Endpoint></member>`,
  );
  return `<ListSubscriptionsByTopicResponse><ListSubscriptionsByTopicResult><Subscriptions>${members.join('')}</Subscriptions></ListSubscriptionsByTopicResult></ListSubscriptionsByTopicResponse>`;
}
