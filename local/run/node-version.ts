const NEEDED_MAJOR = 24;

/**
 * Checks that the scripts run on the Node that `npm ci` installs, not on an older one of the system.
 *
 * @throws Error with the command that installs it
 */
export function assertNode24(): void {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= NEEDED_MAJOR) return;
  throw new Error(
    `this is Node ${process.versions.node}, not ${NEEDED_MAJOR}: the install script of the package "node" did not run. Run \`npm rebuild node\`, and start with npm scripts.`,
  );
}
