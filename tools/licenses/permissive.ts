const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
  'Zlib',
]);

/**
 * Whether an SPDX expression lets the code be shipped in a package under Apache-2.0. An expression with nested brackets is
 * refused: a person has to read it.
 */
export function isPermissive(expression: string): boolean {
  const choices = expression.replace(/^\((.*)\)$/, '$1').split(/ OR /i);
  return choices.some((choice) => choice.split(/ AND /i).every((id) => PERMISSIVE.has(id.trim())));
}
