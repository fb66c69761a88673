import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import { Tracer } from '@aws-lambda-powertools/tracer';
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware';

/** One of each per function; service name and namespace come from the environment that the stack sets. */
export const logger = new Logger();
export const metrics = new Metrics();
const tracer = new Tracer();

/** The middleware that every kind of trigger has in common: structured logs, metrics, traces. */
export const observability = () => [
  captureLambdaHandler(tracer, { captureResponse: false }),
  injectLambdaContext(logger, { clearState: true }),
  logMetrics(metrics),
];
