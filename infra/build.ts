import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleHandlers } from './bundle.ts';

// What the package brings beside its compiled modules, which tsc adds: the bundle of each function.
const outputDirectory = resolve(import.meta.dirname, '..', 'dist');
rmSync(outputDirectory, { recursive: true, force: true });
await bundleHandlers({ outputDirectory: join(outputDirectory, 'assets') });
