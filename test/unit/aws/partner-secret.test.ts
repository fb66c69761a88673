import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createPartnerSecret } from '../../../shared/aws/partner-secret.ts';

/** A Secrets Manager that keeps one secret and counts how often it is read. */
function secretsManager(value: unknown) {
  const kept = { text: typeof value === 'string' ? value : JSON.stringify(value), reads: 0 };
  const readSecret = async (secretArn: string) => {
    expect(secretArn).toBe('the-secret');
    kept.reads += 1;
    return kept.text;
  };
  return { kept, readSecret };
}

const secretOf = (value: unknown) => createPartnerSecret(secretsManager(value).readSecret, 'the-secret');

/** The thrown error, with everything that a log could show of it. */
async function failureOf(work: Promise<unknown>): Promise<{ code: unknown; text: string }> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error('nothing was thrown');
  const { message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return { code, text: JSON.stringify({ ...error, message, stack, cause: String(cause) }) };
}

describe('the partner secret', () => {
  test('signs with its key, and verifies webhooks with its other secrets and the key', async () => {
    const secret = secretOf({ partnerSecretKey: 'key-1', webhookSecrets: ['new', 'old'], note: 'kept' });
    expect(await secret.read()).toBe('key-1');
    expect(await secret.webhookSecrets()).toEqual(['new', 'old', 'key-1']);
  });

  test('verifies webhooks with the key alone when it has no other secrets', async () => {
    expect(await secretOf({ partnerSecretKey: 'key-1' }).webhookSecrets()).toEqual(['key-1']);
  });

  test('is refused while it is the placeholder, with an error that says what to do', async () => {
    const secret = secretOf({ partnerSecretKey: 'REPLACE_ME', webhookSecrets: ['hidden-1'] });
    for (const read of [secret.read, secret.webhookSecrets]) {
      const { code, text } = await failureOf(read());
      expect(code).toBe('SECRET_PLACEHOLDER');
      expect(text).toContain('PartnerSecretArn');
      expect(text).not.toContain('hidden-1');
    }
  });

  test.each([
    ['is not JSON', 'hidden-1'],
    ['is JSON of another shape', ['hidden-1']],
    ['has no key', { webhookSecrets: ['hidden-1'] }],
    ['has an empty key', { partnerSecretKey: '', webhookSecrets: ['hidden-1'] }],
    ['has a key that is not text', { partnerSecretKey: { value: 'hidden-1' } }],
    ['has an empty webhook secret', { partnerSecretKey: 'hidden-1', webhookSecrets: [''] }],
  ])('that %s is refused, and the error shows none of its text', async (_, value) => {
    const secret = secretOf(value);
    for (const read of [secret.read, secret.webhookSecrets]) {
      const { code, text } = await failureOf(read());
      expect(code).toBe('SECRET_INVALID');
      expect(text).not.toContain('hidden-1');
    }
  });
});

describe('a partner secret that changes', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  test('is read again after 5 minutes and not earlier', async () => {
    const { readSecret, kept } = secretsManager({ partnerSecretKey: 'key-1' });
    const secret = createPartnerSecret(readSecret, 'the-secret');
    await secret.read();
    kept.text = JSON.stringify({ partnerSecretKey: 'key-2' });
    vi.advanceTimersByTime(299_000);
    expect(await secret.read()).toBe('key-1');
    expect(kept.reads).toBe(1);
    vi.advanceTimersByTime(2_000);
    expect(await secret.read()).toBe('key-2');
  });

  test('is read again at once on request', async () => {
    const { readSecret, kept } = secretsManager({ partnerSecretKey: 'key-1' });
    const secret = createPartnerSecret(readSecret, 'the-secret');
    await secret.read();
    kept.text = JSON.stringify({ partnerSecretKey: 'key-2' });
    expect(await secret.webhookSecrets({ fresh: true })).toEqual(['key-2']);
    kept.text = JSON.stringify({ partnerSecretKey: 'key-3' });
    expect(await secret.read({ fresh: true })).toBe('key-3');
    expect(await secret.read()).toBe('key-3');
  });

  test('is read again at once while it can not be used', async () => {
    const { readSecret, kept } = secretsManager({ partnerSecretKey: 'REPLACE_ME' });
    const secret = createPartnerSecret(readSecret, 'the-secret');
    expect(await failureOf(secret.read())).toMatchObject({ code: 'SECRET_PLACEHOLDER' });
    kept.text = JSON.stringify({ partnerSecretKey: 'key-1' });
    expect(await secret.read()).toBe('key-1');
    expect(kept.reads).toBe(2);
  });
});
