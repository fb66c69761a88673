const NEEDED_MAJOR = 24;

/**
 * The scripts run on the Node that `npm ci` installs, whatever the system's own is.
 *
 * @throws Error with what to do when that one was not installed
 */
export function assertNode24(): void {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= NEEDED_MAJOR) return;
  throw new Error(
    `this is Node ${process.versions.node}, not ${NEEDED_MAJOR}: the install script of the package "node" did not run. Run \`npm rebuild node\`, and start by npm scripts.`,
  );
}
