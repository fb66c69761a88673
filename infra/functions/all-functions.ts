import type { FunctionDefinition } from '../connector-parts.ts';
import type { FunctionName } from '../function-names.ts';
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

export const functionDefinitions: Readonly<Record<FunctionName, FunctionDefinition>> = {
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
