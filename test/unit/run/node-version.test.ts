import { expect, test } from 'vitest';
import { assertNode24 } from '../../../local/run/node-version.ts';

test.each(['24.0.0', '24.21.0', '26.1.0'])('Node %s is new enough', (version) => {
  expect(() => assertNode24(version)).not.toThrow();
});

test.each(['20.20.2', '22.9.0'])('of Node %s it is said how to start on a newer one', (version) => {
  expect(() => assertNode24(version)).toThrow(
    new RegExp(`^this is Node ${version}, not 24\\. Start it by .*\`npx\`.*\`npm rebuild node\`\\.$`),
  );
});
