import type { SignatureV4 } from '@smithy/signature-v4';
import { usageError } from '../errors.ts';

/** The stack that a command is about. */
export interface Target {
  /** `local`, or the name of the CloudFormation stack. */
  readonly name: string;
  readonly isLocal: boolean;
  readonly region: string;
  /** Fixed ones, or what reads them when they are needed. */
  readonly credentials: ConstructorParameters<typeof SignatureV4>[0]['credentials'];
  /** The endpoint of all AWS services of the local run. */
  readonly endpoint?: string;
  /** The options of a command that name this stack; none for the local run of the working folder. */
  readonly options: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
}

/** @throws CliError if the stack has no such output */
export function outputOf({ name, outputs }: Target, output: string): string {
  const value = outputs[output];
  if (value === undefined)
    throw usageError(
      `the stack ${name} has no output ${output}`,
      'Is it a Marketplace Connector of this version? An app of your own needs CfnOutputs of `connector.outputs`.',
    );
  return value;
}
