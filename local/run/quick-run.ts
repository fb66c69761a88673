import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CloudFormationTemplate } from '../aws/template/cloudformation.ts';
import { type ConnectorRun, type ConnectorRunOptions, startConnector } from './connector-run.ts';

const templatePath = join(import.meta.dirname, '..', '..', 'cdk.out', 'MarketplaceConnector.template.json');

/** The largest batch that Lambda takes without a batching window. */
const BATCH_SIZE = 10;

/**
 * Upper limits of settings, in seconds. As in the stack, a request's timeout is below its lifetime. The timeout is long enough for a busy
 * machine.
 */
const LONGEST_TIMES: Readonly<Record<string, number>> = {
  REQUEST_TIMEOUT_SECONDS: 8,
  ATTEMPT_LIFETIME_SECONDS: 10,
  CREDENTIALS_RETRY_SECONDS: 5,
};

/** Starts the stack from a template that is made quick. Default: the synthesized template. */
export async function startQuickRun({
  template,
  ...options
}: ConnectorRunOptions = {}): Promise<ConnectorRun> {
  return startConnector({ ...options, template: quick(template ?? (await synthesizedTemplate())) });
}

async function synthesizedTemplate(): Promise<CloudFormationTemplate> {
  return JSON.parse(await readFile(templatePath, 'utf8'));
}

/**
 * A quick template, for runs that do not test the stack's times. Functions take messages at once, without a second to gather more. An
 * unknown outcome locks its order, product or listing only for seconds.
 */
export function quick(template: CloudFormationTemplate): CloudFormationTemplate {
  const changed = structuredClone(template);
  for (const { Type, Properties = {} } of Object.values(changed.Resources)) {
    if (Type === 'AWS::Lambda::EventSourceMapping') {
      Properties.BatchSize = Math.min(Number(Properties.BatchSize), BATCH_SIZE);
      Properties.MaximumBatchingWindowInSeconds = 0;
    }
    const { Variables = {} } = (Properties.Environment ?? {}) as { Variables?: Record<string, unknown> };
    for (const [name, longest] of Object.entries(LONGEST_TIMES))
      if (name in Variables) Variables[name] = String(Math.min(Number(Variables[name]), longest));
  }
  return changed;
}
