import * as z from 'zod';
import type { ConnectorRunOptions } from './connector-run.ts';
import type { WantedPort } from './ports.ts';

const LARGEST_PORT = 65_535;

const port = (fallback: number) =>
  z
    .string()
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= LARGEST_PORT, {
      error: ({ input }) => `must be a port, 0 (any free one) to ${LARGEST_PORT}, not "${input}"`,
    })
    .transform(Number)
    .default(fallback);

/** `storeClientId=token,…` */
const storesSchema = z
  .string()
  .transform((text, context) => {
    const pairs = text.split(',').map((pair) => pair.trim().split('='));
    const stores = pairs.map(([storeClientId = '', ...token]) => [storeClientId, token.join('=')] as const);
    const broken = stores.find((pair) => pair.some((part) => part === '' || part !== part.trim()));
    if (broken !== undefined) context.addIssue(`must be storeClientId=token,…, not "${broken[0]}"`);
    const ids = stores.map(([storeClientId]) => storeClientId);
    const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
    if (repeated !== undefined) context.addIssue(`must have each store once, not "${repeated}" twice`);
    return Object.fromEntries(stores);
  })
  .optional();

const NOT_A_BASE_URL = 'must be https, or http on this machine, without /api/v1';

/** Tokens must not cross a network in plain text. The template's parameter has the same rule. */
const SAFE_URL = /^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost|\[::1\])([:/]|$))/;

const settingsSchema = z
  .object({
    LOCAL_AWS_PORT: port(4566),
    LOCAL_API_PORT: port(4567),
    SANDBOX_PORT: port(4568),
    MARKETPLACE_BASE_URL: z
      .url({ protocol: /^https?$/, error: NOT_A_BASE_URL })
      .refine((url) => SAFE_URL.test(url), NOT_A_BASE_URL)
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    MARKETPLACE_PARTNER_CLIENT_ID: z.string().min(1).default('sandbox-partner'),
    MARKETPLACE_PARTNER_SECRET_KEY: z.string().min(1).default('sandbox-partner-secret'),
    MARKETPLACE_STORES: storesSchema,
  })
  .transform((settings): ConnectorRunOptions => {
    const { MARKETPLACE_BASE_URL: baseUrl, MARKETPLACE_STORES: stores } = settings;
    return {
      ports: { aws: settings.LOCAL_AWS_PORT, api: settings.LOCAL_API_PORT },
      sandboxPort: settings.SANDBOX_PORT,
      ...(baseUrl === undefined
        ? {}
        : {
            marketplace: {
              baseUrl,
              partnerClientId: settings.MARKETPLACE_PARTNER_CLIENT_ID,
              partnerSecretKey: settings.MARKETPLACE_PARTNER_SECRET_KEY,
            },
          }),
      ...(stores === undefined ? {} : { stores }),
    };
  });

/**
 * Reads the ports and the marketplace of the local run from the environment.
 *
 * @throws Error with a line for each invalid variable
 */
export function readRunSettings(environment: NodeJS.ProcessEnv): ConnectorRunOptions {
  // A file of variables with Windows line ends leaves a carriage return behind each value.
  const trimmed = Object.entries(environment).map(([name, value]) => [name, value?.trim()]);
  const parsed = settingsSchema.safeParse(Object.fromEntries(trimmed));
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new Error([...new Set(lines)].join('\n'), { cause: parsed.error });
}

/** The ports that a run with these settings listens on. */
export function wantedPorts({ ports, sandboxPort = 0, marketplace }: ConnectorRunOptions): WantedPort[] {
  return [
    { variable: 'LOCAL_AWS_PORT', port: ports?.aws ?? 0 },
    { variable: 'LOCAL_API_PORT', port: ports?.api ?? 0 },
    ...(marketplace === undefined ? [{ variable: 'SANDBOX_PORT', port: sandboxPort }] : []),
  ];
}
