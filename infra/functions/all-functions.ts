import type { ConnectorParts, FunctionDefinition } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';
import { constructIdOf, type FunctionName, functionNames } from '../function-names.ts';
import { batchSweeper } from './batch-sweeper.ts';
import { catalogImporter } from './catalog-importer.ts';
import { changeIntake } from './change-intake.ts';
import { documentFetcher } from './document-fetcher.ts';
import { laneWaker } from './lane-waker.ts';
import { listingProducer } from './listing-producer.ts';
import { listingVerifier } from './listing-verifier.ts';
import { onboardingCallback } from './onboarding-callback.ts';
import { operationsApi } from './operations-api.ts';
import { orderProducer } from './order-producer.ts';
import { productProducer } from './product-producer.ts';
import { summaryProcessor } from './summary-processor.ts';
import { webhookReceiver } from './webhook-receiver.ts';

const DEFINITIONS: Readonly<Record<FunctionName, FunctionDefinition>> = {
  'change-intake': changeIntake,
  'listing-producer': listingProducer,
  'lane-waker': laneWaker,
  'listing-verifier': listingVerifier,
  'catalog-importer': catalogImporter,
  'product-producer': productProducer,
  'order-producer': orderProducer,
  'document-fetcher': documentFetcher,
  'webhook-receiver': webhookReceiver,
  'summary-processor': summaryProcessor,
  'batch-sweeper': batchSweeper,
  'onboarding-callback': onboardingCallback,
  'operations-api': operationsApi,
};

/** Creates the functions, each with its settings and grants. */
export function createFunctions(parts: ConnectorParts): Record<FunctionName, ConnectorFunction> {
  const create = (name: FunctionName) => {
    const { connect, settings = [], ...props } = DEFINITIONS[name];
    const fn = new ConnectorFunction(parts.scope, constructIdOf(name), {
      ...props,
      serviceName: name,
      code: parts.code(name),
      isTraced: parts.settings.tracing === 'sampled',
      logRetentionDays: parts.settings.logRetentionDays,
      network: parts.network,
    });
    connect(fn, parts);
    for (const setting of settings) fn.set({ [setting]: parts.settings[setting] });
    return fn;
  };
  const functions = functionNames.map((name) => [name, create(name)]);
  return Object.fromEntries(functions) as Record<FunctionName, ConnectorFunction>;
}
