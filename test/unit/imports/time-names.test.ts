import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { timesOfTwoTypes } from '../../../tools/imports/time-names.ts';

test('a name of a time with two types is found; one with one type is not, nor the other type of a stored attribute', () => {
  const root = mkdtempSync(join(tmpdir(), 'time-names-'));
  const files = {
    'shared/orders/model.ts': 'z.object({ sentAt: isoTimeSchema, until: z.number() })',
    'shared/orders/ports.ts': 'interface Sent { readonly sentAt: EpochMs; until: EpochMs; since?: IsoTime }',
    'shared/limits/model.ts': 'z.object({ since: z.number() })',
    'shared/aws/order-table.ts': 'z.object({ until: z.string() })',
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  expect(timesOfTwoTypes(root, Object.keys(files))).toEqual([
    { name: 'sentAt', places: ['shared/orders/model.ts: IsoTime', 'shared/orders/ports.ts: EpochMs'] },
  ]);
  rmSync(root, { recursive: true });
});
