import { cpSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleHandlers } from '../../infra/bundle.ts';
import { writeSbom } from '../licenses/write-sbom.ts';
import { bundlePrograms } from './bundle-programs.ts';
import { packTemplate } from './pack-template.ts';
import { bundledPackages, thirdPartyNotices } from './third-party-notices.ts';

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist');

/** Each program finds its page beside its bundle. */
const PAGES = {
  local: 'cli/console/public',
  sandbox: 'sandbox/page/public',
};

/** Builds what the package has beside its compiled modules, in `dist/`, and lists what is shipped. @throws as `writeSbom` does */
export async function buildPackage(): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  await bundleHandlers({ outputDirectory: join(dist, 'assets') });
  await bundlePrograms(dist);
  for (const [program, page] of Object.entries(PAGES))
    cpSync(join(root, page), join(dist, program, 'public'), { recursive: true });
  packTemplate({ bundles: join(dist, 'assets'), outputDirectory: join(dist, 'local', 'cdk.out') });
  writeSbom(bundledPackages(dist));
  writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(dist));
  // They have named what is bundled; no other use is worth their size.
  for (const map of globSync('{cli,local,sandbox}/*.map', { cwd: dist })) rmSync(join(dist, map));
}
