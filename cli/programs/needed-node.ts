import manifest from '../../package.json' with { type: 'json' };

/** Why the command line of the package can't run on a Node.js; `undefined` if it can. */
export function nodeFault(version = process.versions.node): string | undefined {
  const least = manifest.engines.node.replace('>=', '');
  const isOlder = version.localeCompare(least, undefined, { numeric: true }) < 0;
  return isOlder
    ? `marketplace-connector needs Node.js ${least} or later, and this is ${version}`
    : undefined;
}
