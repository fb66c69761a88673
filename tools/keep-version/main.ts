import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeNoArguments } from '../../local/run/command-arguments.ts';
import { formatFiles } from '../../local/run/format-files.ts';
import { synthesize } from '../../local/run/synthesize.ts';
import { fixtures, keepVersion } from '../../test/upgrade/previous-version.ts';

takeNoArguments(
  'Keeps the present version as the previous one, for the tests of upgrades: once per release, right after it.',
);

const directory = await mkdtemp(join(tmpdir(), 'keep-version-'));
try {
  await keepVersion(await synthesize({ outputDirectory: join(directory, 'cdk.out') }));
} finally {
  await rm(directory, { recursive: true });
}
formatFiles(fixtures);
