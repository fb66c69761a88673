/** Groups of targets that were refused together with others, and must not share a request with any. */
export type ApartGroups = readonly ReadonlySet<string>[];

/** What was refused together goes on in two groups, until the row at fault is alone. */
export function bisected(groups: ApartGroups, targets: readonly string[]): ApartGroups {
  const middle = Math.ceil(targets.length / 2);
  const halves = [targets.slice(0, middle), targets.slice(middle)];
  return [...withoutTargets(groups, targets), ...halves.map((half) => new Set(half))].filter(
    ({ size }) => size > 0,
  );
}

/** Targets that are done with need be kept apart no longer. */
export function withoutTargets(groups: ApartGroups, targets: readonly string[]): ApartGroups {
  return groups
    .map((group) => new Set([...group].filter((target) => !targets.includes(target))))
    .filter(({ size }) => size > 0);
}
