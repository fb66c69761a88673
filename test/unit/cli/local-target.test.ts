import { expect, test } from 'vitest';
import { localTarget } from '../../../cli/target/local-target.ts';

test.each([
  ['that is not there', 'no-such/outputs.json', /^no local run: there is no no-such\/outputs\.json$/],
  ['that cannot be read', import.meta.dirname, /^cannot read .*: it is a folder$/],
  ['that is something else', import.meta.filename, /is not a file of stack outputs$/],
])('an outputs file %s is named with what is wrong with it', async (_, file, message) => {
  await expect(localTarget(file)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(message),
  });
});
