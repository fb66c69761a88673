import { expect, test } from 'vitest';
import { withLimitedRefresh } from '../../../../shared/marketplace/webhooks/verification.ts';

/** Secrets from Secrets Manager; `reads` says for each read whether it bypassed the cache. */
function setUp() {
  const reads: boolean[] = [];
  const time = { now: 0 };
  const webhookSecrets = async ({ fresh = false } = {}) => {
    reads.push(fresh);
    return ['secret'];
  };
  return { reads, time, secrets: withLimitedRefresh({ webhookSecrets }, { now: () => time.now }) };
}

test('a thousand wrong signatures within ten seconds cause one fresh read of the secret', async () => {
  const { reads, time, secrets } = setUp();
  for (time.now = 0; time.now < 10_000; time.now += 10) {
    expect(await secrets.webhookSecrets({ fresh: true })).toEqual(['secret']);
  }
  expect(reads).toHaveLength(1000);
  expect(reads.filter((isFresh) => isFresh)).toHaveLength(1);
});

test('a fresh read of the secret is allowed again after ten seconds', async () => {
  const { reads, time, secrets } = setUp();
  await secrets.webhookSecrets({ fresh: true });
  time.now = 9_999;
  await secrets.webhookSecrets({ fresh: true });
  time.now = 10_000;
  await secrets.webhookSecrets({ fresh: true });
  expect(reads).toEqual([true, false, true]);
});

test('a call for cached secrets never causes a fresh read', async () => {
  const { reads, secrets } = setUp();
  await secrets.webhookSecrets();
  expect(reads).toEqual([false]);
});
