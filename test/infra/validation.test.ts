import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, type Stack } from 'aws-cdk-lib';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createConnectorStack } from './support/stacks.ts';

interface ValidationReport {
  readonly pluginReports: readonly { readonly violations: readonly { readonly ruleName: string }[] }[];
}

/** What the CDK's built-in validation finds in the template of `stack`: the rules that it breaks. */
function brokenRules(stack: Stack): string[] {
  const { directory } = App.of(stack)?.synth() ?? {};
  const file = join(directory ?? '', 'validation-report.json');
  const { pluginReports }: ValidationReport = JSON.parse(readFileSync(file, 'utf8'));
  return pluginReports.flatMap(({ violations }) => violations.map(({ ruleName }) => ruleName));
}

// The other tests do without it: vitest.config.ts.
beforeAll(() => vi.stubEnv('CDK_VALIDATION', 'true'));
afterAll(() => vi.unstubAllEnvs());

it('the template breaks no rule of CloudFormation that the CDK knows, and one that does is seen', () => {
  expect(brokenRules(createConnectorStack())).toEqual([]);

  const stack = createConnectorStack();
  new CfnQueue(stack, 'TooLong', { visibilityTimeout: 999_999 });
  expect(brokenRules(stack)).toHaveLength(1);
});
