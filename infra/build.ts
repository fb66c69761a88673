import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleCommandLine, bundleHandlers } from './bundle.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

// The parts of the package beside its compiled modules, which tsc adds.
const outputDirectory = resolve(import.meta.dirname, '..', 'dist');
const assets = join(outputDirectory, 'assets');
rmSync(outputDirectory, { recursive: true, force: true });
await bundleHandlers({ outputDirectory: assets });
await bundleCommandLine(join(outputDirectory, 'cli'));
writeFileSync(join(outputDirectory, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(outputDirectory));
