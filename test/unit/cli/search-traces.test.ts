import { expect, test } from 'vitest';
import type { ApiClient } from '../../../cli/clients/api-client.ts';
import { searchTraces } from '../../../cli/events/find-traces.ts';

const searching = (hits: readonly object[]) => {
  const call: ApiClient['call'] = async (schema) => schema.parse({ word: 'w', hits, hasMore: false });
  return searchTraces({ call } as ApiClient, 'w', undefined);
};

test('a word that names a file alone is said to have no trace, with the command that shows the file', async () => {
  const file = { kind: 'file', id: 'i-1', what: 'a file', path: '/imports/i-1' };
  await expect(searching([file])).rejects.toMatchObject({
    code: 'TRACE_UNKNOWN',
    hint: 'A file has no trace: `imports show i-1` shows it.',
  });
  await expect(searching([])).rejects.toMatchObject({ hint: expect.stringContaining('id:…') });
});
