import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { takeNoArguments } from '../../local/run/command-arguments.ts';
import manifest from '../../package.json' with { type: 'json' };

takeNoArguments('Says what `npm pack` has made: npm itself does not, at the log level of .npmrc.');

const MB = 1024 ** 2;
const folder = process.env.npm_config_pack_destination || '.';
const file = resolve(join(folder, `${manifest.name}-${manifest.version}.tgz`));
const entries = execFileSync('tar', ['-tvzf', file], { encoding: 'utf8' }).trim().split('\n');
const folders = Map.groupBy(entries, (entry) => /package\/([^/]+(?:\/(?=.))?)/.exec(entry)?.[1] ?? '');
console.log(`${file}: ${entries.length} files, ${(statSync(file).size / MB).toFixed(1)} MB`);
for (const [name, { length }] of folders)
  console.log(`  ${name.endsWith('/') ? `${name}: ${length} files` : name}`);
