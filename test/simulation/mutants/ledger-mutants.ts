import type { Mutant } from './mutant.ts';

/** Mistakes in the ledger: the plan of a command, its requests, and their ends. */
export const ledgerMutants: readonly Mutant[] = [
  {
    name: 'the later of two plans of a command counts',
    file: 'shared/requests/use-cases/plan-commands.ts',
    find: 'plans.set(key, await ports.requests.putPlan(key, plan));',
    replace: 'await ports.requests.putPlan(key, plan); plans.set(key, plan);',
  },
  {
    name: 'a command is rejected before its plan is stored',
    file: 'shared/requests/use-cases/perform-commands.ts',
    find: 'plans.set(planKey(command), await planNothing(ports, command, fault));',
    replace: `{
      await reject(ports, domain, command, fault);
      plans.set(planKey(command), await planNothing(ports, command, fault));
    }`,
  },
  {
    name: 'the rejections of a plan that another delivery stored are not reported',
    file: 'shared/requests/use-cases/perform-commands.ts',
    find: 'reportPlanned(ports, domain, planned, plans)',
    replace: 'reportPlanned(ports, domain, planned.filter((command) => fresh.includes(command)), plans)',
  },
  {
    name: 'a request keeps rows of commands whose plan does not name it',
    file: 'shared/requests/use-cases/request-rows.ts',
    find: 'if (plan.recordIds.includes(recordId)) own.add(position);',
    replace: 'own.add(position);',
  },
  {
    name: 'a request that was answered is sent again',
    file: 'shared/requests/use-cases/run-request.ts',
    find: 'const record = states.hasEnded(found) ? found : await',
    replace: "const record = states.hasEnded(found) && found.state !== 'answered' ? found : await",
  },
  {
    name: 'an answer takes effect before it is stored',
    file: 'shared/requests/use-cases/run-request.ts',
    find: 'return requests.update(recordId, (current) => states.answered(current, answer, lastTry));',
    replace:
      "await domain.apply({ ...record, state: 'answered', answer }, items); return requests.update(recordId, (current) => states.answered(current, answer, lastTry));",
  },
  {
    name: 'a request is marked as applied before it is',
    file: 'shared/requests/use-cases/run-request.ts',
    find: 'await domain.apply(record, await rowsOf(ports.archive, record));\n  await markApplied(ports, record);',
    replace:
      'await markApplied(ports, record); await domain.apply(record, await rowsOf(ports.archive, record));',
  },
  {
    name: 'a request that was refused as a whole rejects all its rows',
    file: 'shared/requests/use-cases/run-request.ts',
    find: 'if (record.rows.length === 1) return end(',
    replace: 'return end(',
  },
  {
    name: 'the halves of a request forget that an earlier try of it may have had an effect',
    file: 'shared/requests/use-cases/request-rows.ts',
    find: 'tries: 1,\n      uncertain,',
    replace: 'tries: 1,\n      uncertain: false,',
    scenario: 'product-commands',
  },
  {
    name: 'the halves of a request are recorded only when they are run',
    file: 'shared/requests/use-cases/sweep.ts',
    find: '{ apply: () => recordHalves(ports, record) }',
    replace: '{ apply: async () => {} }',
    scenario: 'product-commands',
  },
  {
    name: 'a request whose sender is lost counts as one that had no effect',
    file: 'shared/requests/rules/states.ts',
    find: "return { ...current, state: 'prepared', uncertain: true };",
    replace: "return { ...current, state: 'prepared' };",
  },
  {
    name: 'a try of unknown outcome is forgotten',
    file: 'shared/requests/rules/states.ts',
    find: '{ ...current, uncertain: true }',
    replace: "{ ...current, state: 'prepared' }",
  },
  {
    name: 'a discard drops requests that may have been sent',
    file: 'shared/requests/use-cases/run-request.ts',
    find: 'fault !== undefined && !confirmed.uncertain',
    replace: 'fault !== undefined',
  },
  {
    name: 'a discard drops commands that were given after it',
    file: 'shared/requests/rules/deferral.ts',
    find: 'discardedAt !== undefined && at <= Date.parse(discardedAt)',
    replace: 'discardedAt !== undefined',
  },
  {
    name: 'requests are begun after the stop time',
    file: 'shared/requests/use-cases/run-request.ts',
    find: 'if (time.isOver) throw outOfTime(recordId);',
    replace: '',
  },
  {
    name: 'an invocation with little time begins nothing',
    file: 'shared/requests/use-cases/run-request.ts',
    find: 'return this.#hasProgress && ',
    replace: 'return ',
  },
  {
    name: 'a command that has to wait is acknowledged',
    file: 'shared/requests/use-cases/receive-commands.ts',
    find: 'await commandQueue.sendLater(body, deferral.delayMs);',
    replace: '',
  },
  {
    name: 'requests that are no longer redelivered are not swept',
    file: 'shared/requests/use-cases/sweep.ts',
    find: 'const abandoned = await sweepRequests(ports, settings);',
    replace: 'const abandoned = 0;',
  },
  {
    name: 'unannounced batches are not swept',
    file: 'shared/requests/use-cases/sweep.ts',
    find: 'const announced = await announcePending(ports, settings);',
    replace: 'const announced = 0;',
  },
  {
    name: 'a failed read makes a request uncertain that was not sent',
    file: 'shared/requests/use-cases/run-request.ts',
    find: "const isUnknown = lastTry !== undefined && error.outcome === 'unknown';",
    replace: "const isUnknown = error.outcome === 'unknown';",
    scenario: 'product-commands',
  },
];
