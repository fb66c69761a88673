import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesize } from '../run/synthesize.ts';
import { keepVersion } from './previous-version.ts';

/** `npm run keep-version`: at each release, keeps it as the version that the next one is an upgrade of. */
const directory = await mkdtemp(join(tmpdir(), 'keep-version-'));
try {
  await keepVersion(await synthesize({ outputDirectory: join(directory, 'cdk.out') }));
} finally {
  await rm(directory, { recursive: true });
}
