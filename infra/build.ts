import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleCommandLine, bundleHandlers } from './bundle.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

// The parts of the package beside its compiled modules, which tsc adds.
const outputDirectory = resolve(import.meta.dirname, '..', 'dist');
const assets = join(outputDirectory, 'assets');
rmSync(outputDirectory, { recursive: true, force: true });
await bundleHandlers({ outputDirectory: assets });
const commandLine = join(outputDirectory, 'cli');
await bundleCommandLine(commandLine);
cpSync(resolve(import.meta.dirname, '..', 'cli', 'console', 'public'), join(commandLine, 'public'), {
  recursive: true,
});
writeFileSync(join(outputDirectory, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(outputDirectory));
