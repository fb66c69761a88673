import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { administratorCredentials } from './gateway/credential-store.ts';
import type { LocalRun, LocalRunOptions } from './local-run.ts';
import { createContext } from './run/context.ts';
import { startFront } from './run/start-front.ts';
import { startStack } from './run/start-stack.ts';
import { account } from './template/account.ts';
import type { CloudFormationTemplate } from './template/cloudformation.ts';
import { readStack } from './template/read-stack.ts';

export type { LocalRun, LocalRunOptions } from './local-run.ts';
export type { ApiCall, Observer } from './observer.ts';

const stackName = 'MarketplaceConnector';
const synthesizedTemplate = join(import.meta.dirname, '..', '..', 'cdk.out', `${stackName}.template.json`);

/** The template that a run with these options has. */
export async function readTemplate({
  template,
  templatePath = synthesizedTemplate,
}: Pick<LocalRunOptions, 'template' | 'templatePath'>): Promise<CloudFormationTemplate> {
  return template ?? (JSON.parse(await readFile(templatePath, 'utf8')) as CloudFormationTemplate);
}

/**
 * Runs a synthesized stack on this machine, exactly as the template describes it.
 *
 * @throws Error when the template has an unsupported part, or lacks a permission that a deployment needs, or when a port is taken.
 * Nothing is left running then.
 */
export async function startLocalRun(options: LocalRunOptions = {}): Promise<LocalRun> {
  const templatePath = options.templatePath ?? synthesizedTemplate;
  const template = await readTemplate(options);
  const parameters = options.parameters ?? {};

  await using cleanup = new AsyncDisposableStack();
  const context = createContext(options.log ?? (() => {}), options.observer ?? {}, cleanup);
  const front = await startFront(context, {
    ports: options.ports ?? {},
    readStack: (endpoints) => readStack(template, { stackName, parameters, endpoints }),
  });
  const { functions, schedules, idle } = await startStack(context, front, {
    assetDirectory: options.assetDirectory ?? dirname(templatePath),
    dataDirectory: options.dataDirectory,
    globalIndexLagMs: options.globalIndexLagMs ?? 0,
    failsAt: options.failsAt,
    runSchedules: options.schedules !== 'manual',
    wrapService: options.wrapService ?? ((_scope, service) => service),
  });

  // Everything runs. From here on the caller must stop it.
  const running = cleanup.move();
  return {
    endpoint: front.endpoints.aws,
    apiUrl: front.endpoints.api,
    region: account.region,
    accountId: account.id,
    outputs: front.stack.outputs,
    adminCredentials: administratorCredentials,
    functions: {
      names: () => functions.all().map(({ definition }) => definition.name),
      kill: (name) => functions.find(name).host.kill(),
      invoke: (name, event) => functions.invoke(name, event),
      logs: (name) => functions.find(name).host.logs(),
    },
    triggerSchedule: (name) => schedules.trigger(functions.find(name)),
    accessDenied: context.accessDenied,
    idle: (idleOptions = {}) => idle(idleOptions),
    stop: () => running.disposeAsync(),
  };
}
