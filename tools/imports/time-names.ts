import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const TIME =
  /\b(?<name>\w*(?:At|[uU]ntil|[sS]ince))\??: (?<type>EpochMs|IsoTime|number|string|epochMsSchema|isoTimeSchema|z\.number|z\.string|z\.iso)\b/g;
const EPOCH_MS = ['EpochMs', 'number', 'epochMsSchema', 'z.number'];

/**
 * Names that keep the other type in a file. Tables and rules compare these attributes as numbers; an answer shows the same fact as
 * an `IsoTime`.
 */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  'shared/limits/model.ts': ['since', 'pausedUntil', 'heldUntil'],
  'shared/listings/model.ts': ['since', 'createdAt', 'waitingSince'],
  'shared/listings/waiting-pages.ts': ['since', 'putAt'],
  'shared/events/parse-incoming-event.ts': ['receivedAt'],
  'shared/requests/model.ts': ['receivedAt'],
  'shared/trace/model.ts': ['until'],
  'shared/trace/waiting-reason.ts': ['until'],
  'cli/queues/dead-letters.ts': ['sentAt'],
};
/** Adapters write keys and times to live, whose types are those of DynamoDB. */
const ADAPTERS = 'shared/aws/';

type TimeType = 'EpochMs' | 'IsoTime';

/**
 * Names of times that are an `EpochMs` in one file and an `IsoTime` in another, each with its files.
 *
 * @param files paths from the repository's folder `root`
 */
export function timesOfTwoTypes(
  root: string,
  files: readonly string[],
): { name: string; places: string[] }[] {
  const places = new Map<string, { type: TimeType; file: string }[]>();
  for (const file of files.filter((path) => !path.startsWith(ADAPTERS))) {
    for (const { groups: { name = '', type = '' } = {} } of readFileSync(join(root, file), 'utf8').matchAll(
      TIME,
    ))
      if (!KEPT[file]?.includes(name)) {
        const found = { type: EPOCH_MS.includes(type) ? ('EpochMs' as const) : ('IsoTime' as const), file };
        places.set(name, [...(places.get(name) ?? []), found]);
      }
  }
  return [...places]
    .filter(([, found]) => new Set(found.map(({ type }) => type)).size > 1)
    .map(([name, found]) => ({ name, places: found.map(({ type, file }) => `${file}: ${type}`) }))
    .sort((one, other) => one.name.localeCompare(other.name));
}
