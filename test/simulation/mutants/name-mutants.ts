import type { Mutant } from './mutant.ts';

const rules = 'shared/listings/rules';

/** Mistakes in taking several names of one product for what they are. */
export const nameMutants: readonly Mutant[] = [
  {
    name: 'names: what was signed before two became one settles their values',
    file: `${rules}/settle-row.ts`,
    find: 'if (mergedAt !== undefined && (joining !== undefined || mergedAt >= signedAt)) return true;',
    replace: '',
  },
  {
    name: 'names: values that both had stay settled when they become one',
    file: `${rules}/merge-aliases.ts`,
    find: 'isFenced || (has(keeper, isStock) && has(alias, isStock))',
    replace: 'isFenced',
  },
  {
    name: 'names: nothing marks the join',
    file: `${rules}/join-names.ts`,
    find: 'return { ...withAliases(merged, others), joining };',
    replace: 'return withAliases(merged, others);',
  },
  {
    name: 'names: a marked listing waits where its values do',
    file: `${rules}/waiting.ts`,
    find: 'if (listing.joining !== undefined) return JOINING_KEY;',
    replace: '',
  },
  {
    name: 'names: what was chosen before they were joined leaves after it',
    file: 'shared/lanes/use-cases/second-look.ts',
    find: 'const held = new Set(joining.flatMap(joiningNames));',
    replace: 'const held = new Set(joining.slice(1).flatMap(joiningNames));',
  },
  {
    name: 'names: the mark is lifted while one of them is on its way',
    file: 'shared/lanes/use-cases/pick-request.ts',
    find: 'joining.filter((listing) => !joiningNames(listing).some((name) => pick.busy.has(name)))',
    replace: 'joining',
  },
  {
    name: 'names: a marked listing leaves by itself',
    file: 'shared/lanes/use-cases/pick-request.ts',
    find: 'held = withJoining(busy, joining);',
    replace: '',
  },
  {
    name: 'names: a value that comes in while they are joined is lost',
    file: `${rules}/join-names.ts`,
    find: 'isDeepStrictEqual(current?.desired, seen?.desired) &&',
    replace: '',
  },
  {
    name: 'names: the mark is never lifted',
    file: `${rules}/join-names.ts`,
    find: '!done.includes(name) && !apart.includes(name)',
    replace: '!apart.includes(name)',
  },
  {
    name: 'names: the older value of the two is kept',
    file: `${rules}/merge-aliases.ts`,
    find: 'compareRegisters(name, register, known) > 0)',
    replace: 'compareRegisters(name, register, known) < 0)',
  },
  {
    name: 'names: what was signed before the mark could be seen settles their values',
    file: `${rules}/settle-row.ts`,
    find: 'joining !== undefined || mergedAt >= signedAt',
    replace: 'mergedAt >= signedAt',
  },
];
