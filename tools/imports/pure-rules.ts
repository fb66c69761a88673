import { type ImportGraph, loadedBy } from './import-graph.ts';

/** Rules, models and events are pure: they load no use case, no adapter and nothing that calls the marketplace. */
const PURE = /^shared\/(?:[^/]+\/rules\/|[^/]+\/model\.ts$|events\/)/;
const REACHES_OUT =
  /^shared\/(?:aws\/|lambda\/|[^/]+\/use-cases\/|time\/system-clock\.ts$|marketplace\/(?:transport|call|client)\.ts$)/;

/** What a pure file loads by way of others and must not. */
export function impureRules(graph: ImportGraph): { file: string; loads: string[] }[] {
  return [...graph.keys()]
    .filter((file) => PURE.test(file))
    .map((file) => ({ file, loads: loadedBy(graph, [file]).filter((path) => REACHES_OUT.test(path)) }))
    .filter(({ loads }) => loads.length > 0);
}
