import {
  type Attention,
  type AttentionGroup,
  type AttentionList,
  attentionListSchema,
} from '../../shared/attention/model.ts';
import { listedBatchSchema } from '../../shared/batches/model.ts';
import { type LaneView, laneViewSchema } from '../../shared/flow/model.ts';
import { type Health, healthSchema } from '../../shared/health/model.ts';
import { rejectionSchema } from '../../shared/rejections/model.ts';
import { type StoreView, storeViewSchema } from '../../shared/stores/model.ts';
import type { ApiClient } from '../clients/api-client.ts';
import { allPages, entriesFrom, firstEntries } from '../clients/pages.ts';
import { ApiError } from '../errors.ts';
import { commandsOf, lookCommands, wayOut } from '../render/way-out.ts';
import { tally } from '../render/words.ts';

const MOST = 1000;

/** One and several, in words. */
export const ATTENTION_NAMES: Readonly<Record<Attention['kind'], readonly [string, string]>> = {
  'partner-refused': ['refusal of the partner', 'refusals of the partner'],
  'tables-restored': ['restore to end', 'restores to end'],
  'store-suspended': ['store suspended', 'stores suspended'],
  'prices-held': ['store with held prices', 'stores with held prices'],
  'import-held': ['import held', 'imports held'],
  'import-failed': ['import failed', 'imports failed'],
  'listing-contested': ['contested listing', 'contested listings'],
  'store-unbound': ['unbound store with waiting work', 'unbound stores with waiting work'],
  'order-unknown': ['order of unknown outcome', 'orders of unknown outcome'],
  'batch-unresolved': ['batch unresolved', 'batches unresolved'],
  'dead-letters': ['queue with dead letters', 'queues with dead letters'],
  'summary-unmatched': ['summary without a batch', 'summaries without a batch'],
};

/** What waits for a person, with the command of its first remedy, if there is one. */
export type StatusEntry = Attention & { readonly command: string | undefined };

/** Alike entries, with the commands of each remedy for all of them. */
export interface StatusGroup extends Omit<AttentionGroup, 'remedies'> {
  /** Show what to look at first. */
  readonly look: readonly string[];
  readonly remedies: readonly (AttentionGroup['remedies'][number] & {
    readonly commands: readonly string[];
  })[];
}

export interface RecentRejections {
  /** ISO 8601. */
  readonly since: string;
  readonly count: number;
  readonly hasMore: boolean;
  readonly codes: Readonly<Record<string, number>>;
}

/** What waits for a person, over all stores, and how much work is open. */
export interface Status {
  readonly attention: readonly StatusEntry[];
  readonly groups: readonly StatusGroup[];
  /** How it is known. */
  readonly checked: AttentionList['checked'];
  /** Kinds with further entries. */
  readonly more: readonly Attention['kind'][];
  readonly stores: readonly StoreView[];
  readonly openBatches: { readonly count: number; readonly hasMore: boolean };
  /** The last ones of a day, by code; absent if there are too many stores to read all. */
  readonly rejections?: RecentRejections | undefined;
  /** Whether the marketplace answers. */
  readonly marketplace: Health;
  /** Lanes of stores whose requests fail again and again, while the marketplace answers others. */
  readonly failing: readonly LaneView[];
}

export async function readStatus(api: ApiClient): Promise<Status> {
  const health = api.call(healthSchema, 'GET', ['health']);
  const [{ attention, groups, more, checked }, stores, open, marketplace, failing, rejections] =
    await Promise.all([
      api.call(attentionListSchema, 'GET', ['attention'], { query: { limit: MOST } }),
      allPages(api, ['stores'], { stores: storeViewSchema }),
      firstEntries(api, ['batches'], { batches: listedBatchSchema }, { state: 'submitted', limit: MOST }),
      health,
      health.then((known) => failingLanes(api, known)),
      recentRejections(api),
    ]);
  return {
    attention: attention.map((one) => ({ ...one, command: wayOut(one) })),
    groups: groups.map((group) => groupWithCommands(group)),
    checked,
    more,
    stores,
    openBatches: { count: open.entries.length, hasMore: open.hasMore },
    marketplace,
    failing,
    rejections,
  };
}

/** Tries from which the store is named: a request that failed once is sent again within seconds. */
const TRIES_TO_NAME = 3;

/** What waits in the lanes that fail. Nothing is read while no request fails, or all do: then the marketplace's health says so. */
export async function failingLanes(api: ApiClient, { state, recent }: Health): Promise<LaneView[]> {
  if (state !== 'healthy' || recent.failed === 0) return [];
  const query = { limit: Number.POSITIVE_INFINITY, tries: TRIES_TO_NAME };
  const { entries } = await firstEntries(api, ['flow'], { lanes: laneViewSchema }, query);
  return entries.filter(({ waiting }) => waiting > 0);
}

const DAY_MS = 86_400_000;
/** Rejections that are counted: more cost a read each time that a screen is refreshed. */
const MOST_COUNTED = 100;

async function recentRejections(api: ApiClient): Promise<RecentRejections | undefined> {
  const since = new Date(Date.now() - DAY_MS).toISOString();
  const query = { since, limit: MOST_COUNTED };
  try {
    const page = await entriesFrom(api, ['rejections'], { rejections: rejectionSchema }, query);
    const codes = Object.fromEntries(tally(page.entries.map(({ code }) => code)));
    return { since, count: page.entries.length, hasMore: page.cursor !== undefined, codes };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'STORE_REQUIRED') return undefined;
    throw error;
  }
}

function groupWithCommands({ remedies, ...group }: AttentionGroup): StatusGroup {
  return {
    ...group,
    look: lookCommands(group.kind, remedies),
    remedies: remedies.map((remedy) => ({ ...remedy, commands: commandsOf(remedy.calls) })),
  };
}
