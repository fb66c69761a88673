/** Every secret that a webhook may be signed with now; `fresh` reads past what is remembered. */
export interface WebhookSecrets {
  webhookSecrets(options?: { fresh?: boolean }): Promise<string[]>;
}

/** Milliseconds between two fresh reads at least. */
const FRESH_EVERY_MS = 10_000;

/**
 * The same secrets, read afresh only now and then: whoever sends wrong signatures must not make us read the secret as
 * often as he likes. A webhook whose secret was rotated in between is refused, and taken when the marketplace tries
 * again.
 */
export function seldomFresh(secrets: WebhookSecrets, clock: { now(): number }): WebhookSecrets {
  let freshAt = Number.NEGATIVE_INFINITY;
  return {
    webhookSecrets: ({ fresh = false } = {}) => {
      const now = clock.now();
      const mayBeFresh = fresh && now - freshAt >= FRESH_EVERY_MS;
      if (mayBeFresh) freshAt = now;
      return secrets.webhookSecrets({ fresh: mayBeFresh });
    },
  };
}
