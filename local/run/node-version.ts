const NEEDED_MAJOR = 24;

/**
 * Checks that a program runs on the Node that `npm ci` installs, not on an older one of the system.
 *
 * @throws Error that says how to start it on that Node
 */
export function assertNode24(version = process.versions.node): void {
  if (Number(version.split('.')[0]) >= NEEDED_MAJOR) return;
  throw new Error(
    `this is Node ${version}, not ${NEEDED_MAJOR}. Start it by \`npm run\`, \`npm test\` or \`npx\`, which take the Node of the package "node". If you did, its install script has not run: \`npm rebuild node\`.`,
  );
}
