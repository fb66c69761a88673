import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleHandlers } from './bundle.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

// The parts of the package beside its compiled modules, which tsc adds.
const outputDirectory = resolve(import.meta.dirname, '..', 'dist');
const assets = join(outputDirectory, 'assets');
rmSync(outputDirectory, { recursive: true, force: true });
await bundleHandlers({ outputDirectory: assets });
writeFileSync(join(outputDirectory, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(assets));
