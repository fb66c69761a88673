import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { takeNoArguments } from '../../local/run/command-arguments.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { bundleAll } from '../package/build-package.ts';
import { bundledPackages } from '../package/third-party-notices.ts';
import { refusedLicences, type Sbom, sbomSchema, shippedPart, withDependencies } from './shipped-sbom.ts';

takeNoArguments(`Checks the licence of every package that is shipped: those whose code is in the bundles of the functions and
programs, and the package's own dependencies. Writes them to .build/sbom.cdx.json, as CycloneDX. Ends with 1 where a licence is not permissive.`);

const root = resolve(import.meta.dirname, '..', '..');

/** The packages of the installed tree, as npm knows them. */
function npmSbom(): Sbom {
  const output = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  return sbomSchema.parse(JSON.parse(output));
}

async function packagesInBundles(): Promise<string[]> {
  const outputDirectory = mkdtempSync(join(tmpdir(), 'connector-licenses-'));
  try {
    await bundleAll(outputDirectory);
    return bundledPackages(outputDirectory);
  } finally {
    rmSync(outputDirectory, { recursive: true, force: true });
  }
}

const installed = npmSbom();
const shipped = [
  ...(await packagesInBundles()),
  ...withDependencies(installed, Object.keys(packageJson.dependencies)),
];
const sbom = shippedPart(installed, [...new Set(shipped)]);
const file = join(root, '.build', 'sbom.cdx.json');
mkdirSync(join(root, '.build'), { recursive: true });
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
const refused = refusedLicences(sbom);
console.log(
  `${sbom.components.length} packages are shipped, ${refused.length} without a permissive licence: ${file}`,
);
for (const line of refused) console.log(`  ${line}`);
process.exitCode = refused.length === 0 ? 0 : 1;
