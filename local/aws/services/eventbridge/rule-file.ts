import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import type { RuleDefinition } from './rule-definition.ts';
import { ruleTarget } from './rule-target.ts';

const savedRules = z.array(
  z
    .object({
      name: z.string(),
      arn: z.string(),
      bus: z.string(),
      description: z.string().optional(),
      enabled: z.boolean(),
      pattern: z.record(z.string(), z.unknown()),
      targets: z.array(ruleTarget),
    })
    .transform((rule): RuleDefinition => ({ ...rule, description: rule.description, schedule: undefined })),
);

/** A file in which rules made by clients outlive the run. */
export interface RuleFile {
  load(): RuleDefinition[];
  /** Stores the rules before it returns: rules change seldom, and the run may end right after a change. */
  save(rules: readonly RuleDefinition[]): void;
}

/** @param path path of the file, which is created with the first rule */
export function ruleFile(path: string): RuleFile {
  return {
    load() {
      try {
        return savedRules.parse(JSON.parse(readFileSync(path, 'utf8')));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
    },
    save(rules) {
      writeFileSync(`${path}.next`, JSON.stringify(rules));
      renameSync(`${path}.next`, path);
    },
  };
}
