import { createRequire } from 'node:module';
import { isPacked } from './find-template.ts';

/** The package and version that dynalite uses. */
const PACKAGE = 'classic-level@3.0.0';

/**
 * Checks that tables can be kept in files. The package has no native code for that.
 *
 * @throws Error of one line that names what to install
 */
export function assertStateCanBeKept(): void {
  if (!isPacked) return;
  try {
    createRequire(import.meta.url).resolve('classic-level');
  } catch (cause) {
    throw new Error(`--data needs the npm package classic-level: npm install ${PACKAGE}`, { cause });
  }
}
