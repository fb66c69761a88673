import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The CDK makes a folder for each synthesis without a folder of its own, and leaves it: hundreds a run. */
export const temporaryFolder = join(tmpdir(), `connector-infra-${process.pid}`);

export function setup(): void {
  mkdirSync(temporaryFolder, { recursive: true });
}

export function teardown(): void {
  rmSync(temporaryFolder, { recursive: true, force: true });
}
