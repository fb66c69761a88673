import { startSandbox } from '../../sandbox/index.ts';
import { type LocalRun, type LocalRunOptions, readTemplate, startLocalRun } from '../aws/index.ts';
import { withMarketplace } from './marketplace-values.ts';
import { createPartner, type Partner } from './partner.ts';
import { findSandboxControls, type SandboxControls } from './sandbox-controls.ts';

/** A server that implements the marketplace's API, other than this run's own sandbox. */
export interface OtherMarketplace {
  /** Base URL without `/api/v1`. */
  readonly baseUrl: string;
  readonly partnerClientId: string;
  readonly partnerSecretKey: string;
}

export interface ConnectorRunOptions
  extends Pick<
    LocalRunOptions,
    'templatePath' | 'template' | 'ports' | 'dataDirectory' | 'schedules' | 'log' | 'observer' | 'wrapService'
  > {
  /** Port of the sandbox; default any free port. */
  readonly sandboxPort?: number;
  readonly marketplace?: OtherMarketplace;
  /** Whether to leave the secret and the stores to the caller. Default: false. */
  readonly isSecretUnset?: boolean;
  /** Tokens of the stores to connect, by store client ID; default the sandbox's `store-0wh`, `store-1wh`, `store-2wh`. */
  readonly stores?: Readonly<Record<string, string>>;
  /** Called with a text for each step of the start. */
  readonly onStep?: (step: string) => void;
}

/** The running stack with its marketplace and its partner. */
export interface ConnectorRun extends AsyncDisposable {
  readonly local: LocalRun;
  readonly partner: Partner;
  readonly marketplace: OtherMarketplace;
  /** Present when the marketplace is a sandbox: this run's own or another one. */
  readonly controls: SandboxControls | undefined;
  /** Client IDs of the connected stores. */
  readonly stores: readonly string[];
  /** Tokens of the connected stores. */
  readonly tokens: Readonly<Record<string, string>>;
}

const sandboxPartner = { partnerClientId: 'sandbox-partner', partnerSecretKey: 'sandbox-partner-secret' };
const sandboxStores = {
  'store-0wh': 'token-store-0wh',
  'store-1wh': 'token-store-1wh',
  'store-2wh': 'token-store-2wh',
};

/** Starts the synthesized stack with a marketplace, sets the partner's secret and connects the stores. */
export async function startConnector(options: ConnectorRunOptions = {}): Promise<ConnectorRun> {
  await using cleanup = new AsyncDisposableStack();
  const {
    sandboxPort = 0,
    marketplace: other,
    isSecretUnset = false,
    stores: tokens = isSecretUnset ? {} : sandboxStores,
    onStep = () => {},
    ...localOptions
  } = options;
  if (other === undefined) onStep('Starting the sandbox marketplace');
  const marketplace = other ?? (await startOwnSandbox(sandboxPort, cleanup));

  onStep('Starting the local AWS and the stack');
  const local = await startLocalRun({
    ...localOptions,
    ...withMarketplace(await readTemplate(localOptions), marketplace),
  });
  cleanup.defer(() => local.stop());
  const partner = createPartner(local);
  cleanup.defer(() => partner.close());
  if (!isSecretUnset) {
    onStep('Setting the partner secret');
    await partner.putSecret({ partnerSecretKey: marketplace.partnerSecretKey });
  }
  const controls = await findSandboxControls(marketplace.baseUrl);
  await controls?.setWebhook(local.outputs.WebhookUrl ?? '');
  await connectStores(partner, tokens, onStep);

  const owned = cleanup.move();
  return {
    local,
    partner,
    marketplace,
    controls,
    stores: Object.keys(tokens),
    tokens,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function startOwnSandbox(port: number, cleanup: AsyncDisposableStack): Promise<OtherMarketplace> {
  const sandbox = await startSandbox({ port });
  cleanup.defer(() => sandbox.close());
  return { baseUrl: sandbox.url, ...sandboxPartner };
}

async function connectStores(
  partner: Partner,
  tokens: Readonly<Record<string, string>>,
  onStep: (step: string) => void,
): Promise<void> {
  for (const [storeClientId, storeToken] of Object.entries(tokens)) {
    onStep(`Connecting ${storeClientId}`);
    const path = `/stores/${encodeURIComponent(storeClientId)}`;
    const { status, body } = await partner.callApi('PUT', path, { storeToken });
    if (status !== 200) throw new Error(`store ${storeClientId}: ${status} ${JSON.stringify(body)}`);
  }
}
