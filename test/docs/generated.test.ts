import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readPages } from '../../tools/describe/pages/pages.ts';
import { sections, sectionsOf, withSections } from '../../tools/describe/pages/sections.ts';
import { settingProps, settingPropsFile } from '../../tools/describe/setting-props.ts';

const pages = readPages();

describe('the generated sections of the pages', () => {
  test.each(pages)('of $path are current (else: npm run describe)', ({ text }) => {
    expect(text).toBe(withSections(text));
  });

  test('are each in a page', () => {
    const shown = pages.flatMap(({ text }) => sectionsOf(text));
    expect([...sections.keys()].filter((name) => !shown.includes(name))).toEqual([]);
  });

  test('are refused where a page marks one that there is not', () => {
    expect(() => withSections('<!-- nothing: npm run describe -->\n<!-- /nothing -->')).toThrow(
      'no section nothing',
    );
  });
});

test('the props of the settings are current (else: npm run describe)', () => {
  expect(readFileSync(settingPropsFile, 'utf8')).toBe(settingProps());
});
