import { readFile } from 'node:fs/promises';
import type { CloudFormationTemplate } from '../../local/aws/template/cloudformation.ts';
import { synthesize } from '../../local/run/synthesize.ts';

/** The synthesized template with nothing that runs by itself, and what a bill needs of it. */
export interface PausedTemplate {
  readonly template: CloudFormationTemplate;
  /** Messages that the mapping of a function hands to one invocation at most. */
  batchSizeOf(functionName: string): number;
  /** GB of memory. */
  memoryOf(functionName: string): number;
}

/** Switches the event source mappings off: counts must not depend on how fast messages are delivered here. */
export async function pausedTemplate(): Promise<PausedTemplate> {
  const template = JSON.parse(await readFile(await synthesize(), 'utf8'));
  const resources = Object.entries<{ Type: string; Properties: Record<string, unknown> }>(template.Resources);
  const propertiesOf = (type: string, functionName: string) => {
    const found = resources.find(([id, { Type }]) => Type === type && id.startsWith(functionName));
    if (found === undefined) throw new Error(`the template has no ${type} of ${functionName}`);
    return found[1].Properties;
  };
  for (const [, { Type, Properties }] of resources) {
    if (Type === 'AWS::Lambda::EventSourceMapping') Properties.Enabled = false;
  }
  return {
    template,
    batchSizeOf: (name) => Number(propertiesOf('AWS::Lambda::EventSourceMapping', name).BatchSize),
    memoryOf: (name) => Number(propertiesOf('AWS::Lambda::Function', name).MemorySize) / 1024,
  };
}
