import { expect, test } from 'vitest';
import { nodeFault } from '../../../cli/programs/needed-node.ts';

test.each(['18.20.8', '20.9.0', '20.18.0'])('Node.js %s is refused in one line', (version) => {
  expect(nodeFault(version)).toBe(
    `marketplace-connector needs Node.js 20.18.1 or later, and this is ${version}`,
  );
});

test.each(['20.18.1', '20.20.2', '22.0.0', '24.21.0', '100.0.0'])('Node.js %s is taken', (version) => {
  expect(nodeFault(version)).toBeUndefined();
});
