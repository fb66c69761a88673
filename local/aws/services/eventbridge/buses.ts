import { createDeliver, type Targets } from './deliver.ts';
import type { BusEvent } from './event.ts';
import { compilePattern, type EventMatcher, type Json } from './pattern.ts';
import type { RuleDefinition } from './rule-definition.ts';
import type { RuleFile } from './rule-file.ts';
import { targetFault } from './target-input.ts';

/** The buses with their rules, without the API. */
export interface Buses {
  names(): string[];
  /** The rules of a bus in the order of their creation; none for a bus that does not exist. */
  rules(bus: string): readonly RuleDefinition[];
  find(bus: string, name: string): RuleDefinition | undefined;
  /**
   * Adds a rule, or replaces the rule with this name. It applies to every event published from now on. A rule that is not in the stack is
   * stored.
   *
   * @throws Error for a bus that does not exist, and for an unsupported pattern or target
   */
  put(rule: RuleDefinition): void;
  remove(rule: RuleDefinition): void;
  /** Gives an event to every enabled rule of a bus that matches. Deliveries run in the background: see `running`. */
  publish(bus: string, event: BusEvent): void;
  /** Deliveries under way. */
  running(): number;
}

interface ArmedRule {
  readonly rule: RuleDefinition;
  readonly matches: EventMatcher;
}

/**
 * @param options.names buses of the stack; the account's default bus is added
 * @param options.rules the rules of the stack, which start as in the template
 * @param options.file file for the other rules. Without a file they end with the run
 * @throws Error as `put` does
 */
export function createBuses(options: {
  names: readonly string[];
  rules: readonly RuleDefinition[];
  file?: RuleFile | undefined;
  targets: Targets;
  say: (message: string) => void;
}): Buses {
  const { file, say } = options;
  const deliver = createDeliver(options.targets, say);
  const buses = new Map(['default', ...options.names].map((name) => [name, new Map<string, ArmedRule>()]));
  let running = 0;

  function add(rule: RuleDefinition): void {
    const onBus = buses.get(rule.bus);
    if (!onBus) throw new Error(`Rule ${rule.name}: the stack has no bus ${rule.bus}`);
    onBus.set(rule.name, { rule, matches: arm(rule) });
  }

  for (const rule of options.rules) add(rule);
  const ofStack = new Set(options.rules.map(({ arn }) => arn));
  for (const rule of file?.load() ?? []) if (buses.has(rule.bus) && !ofStack.has(rule.arn)) add(rule);

  function keep(): void {
    const rules = [...buses.values()].flatMap((onBus) => [...onBus.values()].map(({ rule }) => rule));
    file?.save(rules.filter(({ arn }) => !ofStack.has(arn)));
  }

  return {
    names: () => [...buses.keys()],
    rules: (bus) => [...(buses.get(bus)?.values() ?? [])].map(({ rule }) => rule),
    find: (bus, name) => buses.get(bus)?.get(name)?.rule,
    put(rule) {
      add(rule);
      keep();
    },
    remove(rule) {
      buses.get(rule.bus)?.delete(rule.name);
      keep();
    },
    publish(bus, event) {
      for (const { rule, matches } of buses.get(bus)?.values() ?? []) {
        if (!rule.enabled || !matches(event as unknown as Json)) continue;
        for (const target of rule.targets) {
          running += 1;
          deliver(rule, target, event)
            .catch((error: unknown) => say(`Rule ${rule.name} lost an event: ${String(error)}`))
            .finally(() => {
              running -= 1;
            });
        }
      }
    },
    running: () => running,
  };
}

/** A rule without a pattern only runs on a schedule, and matches no event. */
function arm(rule: RuleDefinition): EventMatcher {
  const fault = rule.targets.map(targetFault).find((one) => one !== undefined);
  if (fault !== undefined) throw new Error(`Rule ${rule.name}: ${fault}`);
  return rule.pattern === undefined ? () => false : compilePattern(rule.pattern);
}
