import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { refusedLicences, type Sbom, sbomSchema, shippedPart, withDependencies } from './shipped-sbom.ts';

const root = resolve(import.meta.dirname, '..', '..');

/**
 * Writes the packages that are shipped to `.build/sbom.cdx.json`, as CycloneDX: those whose code is in the bundles, and the
 * package's own dependencies.
 *
 * @param bundled the packages whose code is in the bundles, as `name@version`
 * @throws Error that names each package without a permissive licence
 */
export function writeSbom(bundled: readonly string[]): void {
  const installed = npmSbom();
  const dependencies = withDependencies(installed, Object.keys(packageJson.dependencies));
  const sbom = shippedPart(installed, [...new Set([...bundled, ...dependencies])]);
  mkdirSync(join(root, '.build'), { recursive: true });
  writeFileSync(join(root, '.build', 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`);
  const refused = refusedLicences(sbom);
  if (refused.length > 0) throw new Error(`shipped without a permissive licence: ${refused.join('; ')}`);
}

/** The packages of the installed tree, as npm knows them. */
function npmSbom(): Sbom {
  const output = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  const sbom = sbomSchema.parse(JSON.parse(output));
  // npm names the root after its folder.
  const component = { ...sbom.metadata.component, name: packageJson.name };
  return { ...sbom, metadata: { ...sbom.metadata, component } };
}
