import type { Mutant } from './mutant.ts';

/** Mistakes with products that an update renames. */
export const renameMutants: readonly Mutant[] = [
  {
    name: 'the listing of the old name of a renamed product keeps its values',
    file: 'shared/listings/rules/end-by-rename.ts',
    find: 'desired: registersWithout(listing.desired, moved),',
    replace: 'desired: listing.desired,',
  },
  {
    name: 'what waited under the old name of a renamed product is lost',
    file: 'shared/listings/use-cases/end-listing.ts',
    find: 'if (changes.length > 0) {',
    replace: 'if (changes.length < 0) {',
  },
  {
    name: 'a value from before a rename reaches the product that has the name then',
    file: 'shared/listings/rules/merge-change.ts',
    find: 'if (renamed !== undefined && isFromBefore(renamed, change)) {',
    replace: 'if (renamed !== undefined && change.version < 0) {',
  },
  {
    name: 'the listings do not learn of a rename',
    file: 'shared/products/update-requests.ts',
    find: 'for (const rename of renames) await changes.sendRenamed({ ...facts, ...rename });',
    replace: 'void renames;',
  },
  {
    name: 'a rename of a name without values marks it by a time, also in a store with integer versions',
    file: 'shared/listings/rules/end-by-rename.ts',
    find: 'if (listing.isKindOpen === true && rename.version !== undefined)',
    replace: 'if (false as boolean)',
    scenario: 'renames',
  },
];
