import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { AwsError } from '../../gateway/messages.ts';
import { readProperties } from '../../template/read-properties.ts';
import type { StackResource } from '../../template/read-stack.ts';

const secretProperties = z.strictObject({
  Name: z.string().optional(),
  Description: z.string().optional(),
  KmsKeyId: z.string().optional(),
  SecretString: z.string(),
  Tags: z.unknown().optional(),
});

const version = z.object({
  id: z.string(),
  text: z.string(),
  stages: z.array(z.string()),
  createdAt: z.number(),
});
const savedSecrets = z.record(z.string(), z.array(version));

/** One value of a secret. */
interface SecretVersion {
  readonly id: string;
  readonly text: string;
  /** `AWSCURRENT`, `AWSPREVIOUS`, or a label of the caller. */
  readonly stages: readonly string[];
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface Secret {
  readonly name: string;
  readonly arn: string;
  readonly description: string | undefined;
  /** ARN of the customer-managed key, where the secret has one. */
  readonly keyArn: string | undefined;
  /** Newest last. */
  readonly versions: readonly SecretVersion[];
}

export interface SecretStore {
  all(): Secret[];
  /**
   * Creates a secret of the stack with the value of the template, unless the secret is kept from an earlier run. Returns whether it is
   * new.
   */
  create(resource: StackResource): Promise<boolean>;
  remove(arn: string): Promise<void>;
  /** Finds a secret by name, ARN, or ARN without its random ending. @throws AwsError ResourceNotFoundException */
  find(id: string): Secret;
  /** Adds a version as the current one; the former current version becomes the previous one. Returns the ID of the new version. */
  put(arn: string, text: string, clientToken: string | undefined): Promise<string>;
}

/**
 * The secrets of the stack.
 *
 * @param options.file where versions are kept; in memory when absent
 */
export async function createSecretStore(options: {
  file: string | undefined;
  clock: { now(): number };
}): Promise<SecretStore> {
  const { file, clock } = options;
  const saved = file === undefined ? {} : await load(file);
  const secrets = new Map<string, Secret>();

  async function save(): Promise<void> {
    if (file === undefined) return;
    const own = Object.fromEntries([...secrets.values()].map(({ arn, versions }) => [arn, versions]));
    await writeFile(`${file}.next`, JSON.stringify({ ...saved, ...own }), { mode: 0o600 });
    await rename(`${file}.next`, file);
  }

  return {
    all: () => [...secrets.values()],
    async create(resource) {
      const properties = readProperties(resource, secretProperties);
      const kept = saved[resource.ref];
      secrets.set(resource.ref, {
        name: properties.Name ?? resource.name,
        arn: resource.ref,
        description: properties.Description,
        keyArn: properties.KmsKeyId,
        versions: kept ?? [
          { id: randomUUID(), text: properties.SecretString, stages: ['AWSCURRENT'], createdAt: clock.now() },
        ],
      });
      await save();
      return kept === undefined;
    },
    async remove(arn) {
      secrets.delete(arn);
      delete saved[arn];
      await save();
    },
    find(id) {
      const found = [...secrets.values()].find(
        ({ name, arn }) => id === name || id === arn || id === arn.slice(0, -7),
      );
      if (!found) throw notFound('secret');
      return found;
    },
    async put(arn, text, clientToken) {
      const secret = secrets.get(arn);
      if (!secret) throw notFound('secret');
      const id = clientToken ?? randomUUID();
      const older = secret.versions
        .map((one) => ({ ...one, stages: afterRotation(one.stages) }))
        .filter(({ stages }) => stages.length > 0);
      const newest: SecretVersion = { id, text, stages: ['AWSCURRENT'], createdAt: clock.now() };
      secrets.set(arn, { ...secret, versions: [...older, newest] });
      await save();
      return id;
    },
  };
}

export function notFound(what: 'secret' | 'secret value'): AwsError {
  return new AwsError('ResourceNotFoundException', `Secrets Manager can't find the specified ${what}.`);
}

function afterRotation(stages: readonly string[]): string[] {
  const kept = stages.filter((stage) => stage !== 'AWSPREVIOUS' && stage !== 'AWSCURRENT');
  return stages.includes('AWSCURRENT') ? [...kept, 'AWSPREVIOUS'] : kept;
}

async function load(file: string): Promise<z.output<typeof savedSecrets>> {
  try {
    return savedSecrets.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
