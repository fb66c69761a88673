import type { ListedBatch } from '../../batches/model.ts';
import { mapConcurrently, READS_AT_A_TIME } from '../../collections/for-each-concurrently.ts';
import { isSameValue, type Listing, registerEntries } from '../../listings/model.ts';
import { isEnded, movedText } from '../../listings/rules/end-by-rename.ts';
import { fieldsOfTarget, targetOf, targetsOf } from '../../listings/rules/target.ts';
import { planKey, subjectId } from '../../requests/model.ts';
import { waitSeenAt } from '../../requests/rules/deferral.ts';
import { type Hit, LONGEST_ID, traced } from '../model.ts';
import type { SearchPorts } from '../ports.ts';

/** Most products whose SKU begins with the word. */
const MOST_OF_PREFIX = 20;

export const TARGET = /^(sku|id|externalId):./;

/** The products that are listed by this name, and the listings of the product with this ID. */
export async function productHits(
  { listings }: SearchPorts,
  word: string,
  stores: readonly string[],
): Promise<Hit[]> {
  const targets = targetsNamed(word);
  const productId = targets.flatMap((target) => fieldsOfTarget(target)).find((name) => 'id' in name)?.id;
  const [named, ofProduct] = await Promise.all([
    mapConcurrently(stores, READS_AT_A_TIME, async (store) => [
      ...(await listings.getMany(store, targets, { mayBeStale: true })).values(),
    ]),
    productId === undefined || productId.length > LONGEST_ID ? [] : listings.ofProduct(productId),
  ]);
  const own = ofProduct.filter(({ storeClientId }) => stores.includes(storeClientId));
  return onceEach([...named.flat(), ...own]).map(productHit);
}

/** One listing per product: leaves out listings by further names of the same product. */
function onceEach(listings: readonly Listing[]): Listing[] {
  const keyOf = (storeClientId: string, target: string) => JSON.stringify([storeClientId, target]);
  const seen = new Set<string>();
  return listings.filter(({ storeClientId, target, sameAs = [] }) => {
    if (seen.has(keyOf(storeClientId, target))) return false;
    for (const name of [target, ...sameAs]) seen.add(keyOf(storeClientId, name));
    return true;
  });
}

/** The targets that the word may mean. */
export function targetsNamed(word: string): string[] {
  return TARGET.test(word)
    ? [targetOf(fieldsOfTarget(word))]
    : targetsOf({ sku: word, id: word, externalId: word });
}

function productHit(listing: Listing): Hit {
  const { storeClientId, target, desired, sent, settled, live, createdAt, waitingSince, renamed } = listing;
  const values = registerEntries(desired).map(([name, register]) => {
    const last = settled[name];
    const isRejected = last?.outcome === 'rejected' && isSameValue(last, register);
    return `${name} ${register.value ?? 'none'}${isRejected ? ` (rejected: ${last.code})` : ''}`;
  });
  const what = [
    'a product',
    ...(values.length > 0 ? [values.join(', ')] : []),
    ...(waitingSince ? ['waits'] : []),
    ...(renamed && isEnded(listing) ? [`renamed: ${movedText(renamed)}`] : []),
  ];
  const created = createdAt === undefined ? undefined : new Date(createdAt).toISOString();
  const answered = [...Object.values(sent), ...Object.values(settled)].map((register) => register?.at);
  const at = [created, live?.at, ...answered]
    .filter((one) => one !== undefined)
    .sort()
    .at(-1);
  return {
    kind: 'product',
    id: target,
    storeClientId,
    what: what.join(' · '),
    ...(at !== undefined && { at }),
    path: `/stores/${encodeURIComponent(storeClientId)}/listings?target=${encodeURIComponent(target)}`,
    trace: { target, storeClientId },
  };
}

export async function productsThatBegin(
  { listings }: SearchPorts,
  word: string,
  stores: readonly string[],
): Promise<{ hits: Hit[]; hasMore: boolean }> {
  const start = TARGET.test(word) ? word : `sku:${word}`;
  const found = (
    await mapConcurrently(stores, READS_AT_A_TIME, (store) =>
      listings.named(store, start, MOST_OF_PREFIX + 1),
    )
  ).flat();
  return { hits: found.slice(0, MOST_OF_PREFIX).map(productHit), hasMore: found.length > MOST_OF_PREFIX };
}

/** The products that a command names: a waiting command, or the last command that has updated or deleted the product. */
export async function namedHits(
  { requests, clock }: SearchPorts,
  targets: readonly string[],
  stores: readonly string[],
): Promise<Hit[]> {
  const found = await mapConcurrently(stores, READS_AT_A_TIME, (store) =>
    Promise.all(
      targets.map(async (target) => {
        const alias = await requests.aliasOf(subjectId(store, target));
        return alias && 'command' in alias ? [{ target, command: alias.command }] : [];
      }),
    ),
  );
  const subjects = found.flat(2);
  const keys = subjects.map(({ command }) => planKey(command));
  const [plans, waits] = await Promise.all([requests.getPlans(keys), requests.getWaits(keys)]);
  return subjects.flatMap(({ target, command }): Hit[] => {
    const { storeClientId, commandId, detailType } = command;
    const [plan, wait] = [plans.get(planKey(command)), waits.get(planKey(command))];
    const at = plan?.plannedAt ?? wait?.at;
    if (at === undefined) return [];
    const said =
      plan === undefined && wait
        ? `${detailType} waits: ${waitSeenAt(wait, clock.now()).message}`
        : `last named by the command ${commandId} · ${detailType}`;
    const trace = { target, storeClientId };
    return [traced({ kind: 'product', id: target, storeClientId, what: `a product · ${said}`, at, trace })];
  });
}

/** A product of an open batch. */
export function createdHit(
  { batchId, kind, submittedAt, storeClientId = '', submission }: ListedBatch,
  word: string,
): Hit {
  const wanted = targetsNamed(word);
  const target =
    submission?.names?.flatMap((row) => targetsOf(row)).find((one) => wanted.includes(one)) ?? word;
  const what = `a product · sent in batch ${batchId} · ${kind} · its final summary has not come yet`;
  const trace = { target, storeClientId };
  return traced({ kind: 'product', id: target, storeClientId, what, at: submittedAt, trace });
}
