import { LOCAL_OUTPUTS } from '../../cli/target/local-target.ts';
import { readArguments } from './command-arguments.ts';

/** The options of `npm start -- …`, and of `marketplace-connector local …`. */
export interface RunOptions {
  /** Whether to end after the tour. */
  readonly exit: boolean;
  readonly tour: boolean;
  /** A folder into which a CDK app was synthesized, or a template. Default: the connector's own stack. */
  readonly cdkOut: string | undefined;
  /** `quiet`: failures only; `normal`: also each event, request, batch and rejection; `verbose`: also the functions' logs. */
  readonly output: 'quiet' | 'normal' | 'verbose';
  /** Directory for the state; in memory when absent. */
  readonly dataDirectory: string | undefined;
  /** File with the stack's outputs while it runs. */
  readonly outputsFile: string;
}

const flags = {
  exit: { type: 'boolean', default: false },
  'no-tour': { type: 'boolean', default: false },
  'cdk-out': { type: 'string' },
  data: { type: 'string' },
  'outputs-file': { type: 'string', default: LOCAL_OUTPUTS },
  verbose: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
} as const;

export const HELP = `npm start -- [OPTIONS]

Runs the synthesized stack on this machine with a marketplace, takes a guided tour of the main job,
and stays up until Ctrl-C.

Options
  --exit               end after the tour: status 0 if every comparison holds, otherwise 1
  --no-tour            skip the tour
  --cdk-out DIR        run the stack of your own CDK app, synthesized into DIR
  --data DIR           keep the state of tables, queues and buckets in DIR (default: in memory)
  --outputs-file FILE  write the stack outputs to FILE (default: .local/outputs.json)
  --verbose            show the functions' logs and the stacks of errors
  --quiet              show failures only, not each event, request, batch and rejection
  --help               show this

Variables
  LOCAL_AWS_PORT (4566)           port of the AWS endpoint; for each port, 0 means any free one
  LOCAL_API_PORT (4567)           port of the stack's HTTP API
  SANDBOX_PORT (4568)             port of the sandbox marketplace
  MARKETPLACE_BASE_URL            another marketplace instead of the sandbox, without /api/v1
  MARKETPLACE_PARTNER_CLIENT_ID   the partner's client ID there
  MARKETPLACE_PARTNER_SECRET_KEY  its secret key
  MARKETPLACE_STORES              stores to connect: storeClientId=token,…
  MARKETPLACE_ORDER_ID            an order of the first store, for the tour's label
  NO_COLOR, FORCE_COLOR           without colours, with colours`;

/** Variables in which npm passes on options that were given without `--`, as in `npm start --exit`. */
const takenByNpm = {
  npm_config_exit: '--exit',
  npm_config_tour: '--no-tour',
  npm_config_cdk_out: '--cdk-out DIR',
  npm_config_data: '--data DIR',
  npm_config_outputs_file: '--outputs-file FILE',
} as const;

/**
 * Reads the arguments of the local run.
 *
 * @param environment variables of the process
 * @throws Error of one line for an unknown option, a missing value, options that exclude each other, or an option that npm
 * took for its own
 */
export function readRunOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): RunOptions {
  const taken = Object.entries(takenByNpm).find(([variable]) => environment[variable] !== undefined);
  if (taken !== undefined)
    throw new Error(`npm took ${taken[1]} for its own option: use npm start -- ${taken[1]}`);
  const { values } = readArguments(args, flags);
  if (values.verbose && values.quiet) throw new Error('--verbose and --quiet exclude each other');
  return {
    exit: values.exit,
    tour: !values['no-tour'],
    output: values.verbose ? 'verbose' : values.quiet ? 'quiet' : 'normal',
    cdkOut: values['cdk-out'],
    dataDirectory: values.data,
    outputsFile: values['outputs-file'],
  };
}
