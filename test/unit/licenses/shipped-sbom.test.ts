import { describe, expect, test } from 'vitest';
import { isPermissive } from '../../../tools/licenses/permissive.ts';
import {
  refusedLicences,
  sbomSchema,
  shippedPart,
  withDependencies,
} from '../../../tools/licenses/shipped-sbom.ts';

describe('isPermissive', () => {
  test.each(['MIT', 'Apache-2.0', '0BSD', '(MIT OR GPL-3.0-only)', 'MIT AND ISC'])('allows %s', (licence) => {
    expect(isPermissive(licence)).toBe(true);
  });

  test.each([
    'GPL-3.0-only',
    'AGPL-3.0',
    'MIT AND LGPL-2.1',
    'SEE LICENSE IN x',
    '((MIT OR ISC) AND GPL-2.0)',
  ])('refuses %s', (licence) => {
    expect(isPermissive(licence)).toBe(false);
  });
});

const component = (name: string, ...licenses: object[]) => ({
  'bom-ref': `${name}@1.0.0`,
  name,
  version: '1.0.0',
  licenses,
});
const sbom = sbomSchema.parse({
  bomFormat: 'CycloneDX',
  metadata: { component: { 'bom-ref': 'own@0' } },
  components: [
    component('a', { license: { id: 'MIT' } }),
    component('b', { license: { id: 'GPL-3.0-only' } }),
    component('c'),
    component('d', { expression: 'MIT OR GPL-2.0' }),
    component('e', { license: { name: 'Our licence' } }),
    component('tool', { license: { id: 'AGPL-3.0' } }),
  ],
  dependencies: [
    { ref: 'own@0', dependsOn: ['a@1.0.0', 'tool@1.0.0'] },
    { ref: 'a@1.0.0', dependsOn: ['b@1.0.0'] },
    { ref: 'tool@1.0.0', dependsOn: [] },
  ],
});

test('the shipped part has the shipped packages and what is between them, and keeps the rest of the document', () => {
  expect(shippedPart(sbom, ['a@1.0.0'])).toEqual({
    ...sbom,
    components: [sbom.components[0]],
    dependencies: [
      { ref: 'own@0', dependsOn: ['a@1.0.0'] },
      { ref: 'a@1.0.0', dependsOn: [] },
    ],
  });
});

test('a dependency of the package is shipped with all that it depends on', () => {
  expect(withDependencies(sbom, ['a', 'c'])).toEqual(['a@1.0.0', 'b@1.0.0']);
});

test('a shipped package that the document does not have is an error', () => {
  expect(() => shippedPart(sbom, ['a@2.0.0'])).toThrow('no component for a@2.0.0');
});

test('packages whose licence is missing or not permissive are refused, whatever tools have', () => {
  const shipped = shippedPart(
    sbom,
    ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@1.0.0`),
  );
  expect(refusedLicences(shipped)).toEqual([
    'b@1.0.0: GPL-3.0-only',
    'c@1.0.0: no licence',
    'e@1.0.0: Our licence',
  ]);
});
