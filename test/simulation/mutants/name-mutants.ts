import type { Mutant } from './mutant.ts';

/** Mistakes in taking several names of one product for what they are. */
export const nameMutants: readonly Mutant[] = [
  {
    name: 'names: what was signed before two became one settles their values',
    file: 'shared/listings/rules/settle-row.ts',
    find: 'if (mergedAt !== undefined && mergedAt >= signedAt) return true;',
    replace: '',
  },
  {
    name: 'names: values that both had stay settled when they become one',
    file: 'shared/listings/rules/merge-aliases.ts',
    find: 'isFenced || (has(keeper, isStock) && has(alias, isStock))',
    replace: 'isFenced',
  },
  {
    name: 'names: they are learned after the outcomes are settled',
    file: 'shared/lanes/use-cases/send-request.ts',
    find: `await learnFrom(context, request, answer);
  await settleRows(context, signed, (index) => outcomes[index]);`,
    replace: `await settleRows(context, signed, (index) => outcomes[index]);
  await learnFrom(context, request, answer);`,
  },
  {
    name: 'names: a product leaves under one while it is in flight under another',
    file: 'shared/lanes/use-cases/pick-request.ts',
    find: 'busy.has(target) || aliases.some((alias) => busy.has(alias))',
    replace: 'busy.has(target)',
  },
  {
    name: 'names: the older value of the two is kept',
    file: 'shared/listings/rules/merge-aliases.ts',
    find: 'compareRegisters(name, register, known) > 0)',
    replace: 'compareRegisters(name, register, known) < 0)',
  },
];
