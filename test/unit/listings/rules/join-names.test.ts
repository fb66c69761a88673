import { describe, expect, test } from 'vitest';
import type { Listing } from '../../../../shared/listings/model.ts';
import {
  handedOn,
  joiningNames,
  type ProductNames,
  planJoin,
  withJoined,
  withoutJoining,
} from '../../../../shared/listings/rules/join-names.ts';
import { aliasOf } from '../../../../shared/listings/rules/merge-aliases.ts';
import { settleRow } from '../../../../shared/listings/rules/settle-row.ts';
import { listingOf as listing } from '../listing-of.ts';

const NOW = 1_000_000;

const stock = (target: string, value: number, over: Partial<Listing> = {}) =>
  listing(target, { desired: { stock: { value, version: value } }, waitingSince: NOW, ...over });

const namesOf = (...entries: (Listing | string)[]): ProductNames =>
  new Map(entries.map((one) => (typeof one === 'string' ? [one, undefined] : [one.target, one])));

describe('planJoin', () => {
  test('lets the first by rank keep the values, be there a listing of it or not', () => {
    expect(planJoin(namesOf('externalId:1', stock('id:1', 3), 'sku:A'))).toEqual({
      keeper: 'sku:A',
      others: ['externalId:1', 'id:1'],
      open: ['externalId:1', 'id:1'],
      apart: [],
    });
  });

  test('has nothing to join where none of the names has a listing', () => {
    expect(planJoin(namesOf('sku:A', 'id:1'))).toBeUndefined();
  });

  test('never lets an alias keep values again', () => {
    const keeper = stock('sku:NEW', 3);
    const plan = planJoin(namesOf(aliasOf('sku:OLD', keeper), aliasOf('id:1', keeper), keeper));
    expect(plan).toMatchObject({ keeper: 'sku:NEW', others: ['sku:OLD', 'id:1'], open: [] });
  });

  test('leaves apart what is versioned otherwise, and whatever points to it', () => {
    const other = stock('id:1', 3, { versionKind: 'time' });
    expect(planJoin(namesOf(stock('sku:A', 2), other, aliasOf('externalId:1', other)))).toEqual({
      keeper: 'sku:A',
      others: [],
      open: [],
      apart: ['id:1', 'externalId:1'],
    });
  });
});

describe('withJoined', () => {
  const join = (current: Listing | undefined, names: ProductNames) =>
    withJoined(current, names, planJoin(names) ?? expect.fail('nothing to join'), NOW);

  test('takes all values and marks the names that have not let go of theirs, in one', () => {
    const keeper = stock('sku:A', 2);
    const names = namesOf(keeper, stock('id:1', 3), 'externalId:1');
    expect(join(keeper, names)).toMatchObject({
      target: 'sku:A',
      desired: { stock: { value: 3 } },
      aliases: ['externalId:1', 'id:1'],
      joining: { targets: ['id:1', 'externalId:1'], since: NOW },
    });
  });

  test('begins the keeper with the values of another name, and with a mark of its own', () => {
    const marked = stock('id:1', 3, { joining: { targets: ['externalId:1'], since: 1 } });
    const names = namesOf('sku:A', marked, stock('externalId:1', 4));
    expect(join(undefined, names)).toMatchObject({
      target: 'sku:A',
      desired: { stock: { value: 4 } },
      joining: { targets: ['id:1', 'externalId:1'], since: NOW },
    });
  });

  test('keeps the names that another has marked meanwhile, and since when', () => {
    const keeper = stock('sku:A', 2);
    const current = { ...keeper, joining: { targets: ['externalId:2'], since: NOW - 9 } };
    expect(join(current, namesOf(keeper, stock('id:1', 3)))?.joining).toEqual({
      targets: ['externalId:2', 'id:1'],
      since: NOW - 9,
    });
  });

  test('does nothing where the keeper has got a keeper itself, or another kind of version', () => {
    const names = namesOf('sku:A', stock('id:1', 3));
    expect(join(aliasOf('sku:A', stock('sku:B', 1)), names)).toBeUndefined();
    expect(join(stock('sku:A', 2, { versionKind: 'time' }), names)).toBeUndefined();
  });
});

describe('handedOn', () => {
  const seen = stock('id:1', 3);
  const keeper = stock('sku:A', 3);

  test('leaves an alias of what the keeper has whole', () => {
    expect(handedOn(seen, { ...seen }, 'id:1', keeper)).toEqual(aliasOf('id:1', keeper));
    expect(handedOn(undefined, undefined, 'id:1', keeper)).toEqual(aliasOf('id:1', keeper));
  });

  test.each<[string, Partial<Listing>]>([
    ['a value', { desired: { stock: { value: 4, version: 4 } } }],
    ['an outcome', { settled: { stock: { value: 3, version: 3, outcome: 'accepted', at: 'now' } } }],
    ['a fence', { notBefore: NOW + 30_000 }],
    ['a keeper', { aliasOf: 'sku:B' }],
    ['a mark', { joining: { targets: ['externalId:1'], since: NOW } }],
  ])('waits where it has got %s since', (_, over) => {
    expect(handedOn({ ...seen, ...over }, seen, 'id:1', keeper)).toBeUndefined();
  });
});

describe('withoutJoining', () => {
  const marked = stock('sku:A', 3, {
    aliases: ['externalId:1', 'id:1'],
    joining: { targets: ['externalId:1', 'id:1'], since: NOW },
  });

  test('keeps the mark of what has not let go yet', () => {
    const rest = withoutJoining(marked, { done: ['id:1'], apart: [] }, NOW);
    expect(rest.joining).toEqual({ targets: ['externalId:1'], since: NOW });
    expect(joiningNames(rest)).toEqual(['sku:A', 'externalId:1']);
  });

  test('ends it with the last name', () => {
    const rest = withoutJoining(marked, { done: ['id:1', 'externalId:1'], apart: [] }, NOW);
    expect(rest).not.toHaveProperty('joining');
    expect(joiningNames(rest)).toEqual([]);
  });

  test('has no row count that was signed before it ended, where values were merged', () => {
    const done = { done: ['id:1', 'externalId:1'], apart: [] };
    const merged = withoutJoining({ ...marked, mergedAt: NOW - 500 }, done, NOW);
    const row = (signedAt: number) => ({ registers: { stock: { value: 3, version: 1 } }, signedAt });
    const settled = (signedAt: number) =>
      settleRow(merged, row(signedAt), { outcome: 'accepted' }, NOW + 9).settled;
    expect(settled(NOW - 100)).toEqual({});
    expect(settled(NOW)).toMatchObject({ stock: { value: 3 } });
    expect(withoutJoining(marked, done, NOW)).not.toHaveProperty('mergedAt');
  });

  test('has no name any more that turned out to stay apart', () => {
    const rest = withoutJoining(marked, { done: ['id:1'], apart: ['externalId:1'] }, NOW);
    expect(rest).not.toHaveProperty('joining');
    expect(rest.aliases).toEqual(['id:1']);
  });
});
