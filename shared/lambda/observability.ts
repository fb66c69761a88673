import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { addCounts, type Counts } from '../collections/counts.ts';
import { cutOff } from '../collections/cut-off.ts';
import { logKeys } from '../correlation/log-keys.ts';
import type { Warning } from '../warnings/model.ts';

/** Adds the IDs of the work to each line. The Logger's own keys are global, but several requests run at the same time. */
class LineFormatter extends LogFormatter {
  override formatAttributes(facts: UnformattedAttributes, fields: LogAttributes): LogItem {
    const { logLevel, message, timestamp, serviceName, lambdaContext, xRayTraceId } = facts;
    const attributes = {
      level: logLevel,
      message,
      timestamp: this.formatTimestamp(timestamp),
      service: serviceName,
      cold_start: lambdaContext?.coldStart,
      function_request_id: lambdaContext?.awsRequestId,
      xray_trace_id: xRayTraceId,
    };
    return new LogItem({ attributes }).addAttributes({ ...logKeys(), ...fields });
  }
}

/** Service name and namespace come from the function's environment. */
export const createLogger = () => new Logger({ logFormatter: new LineFormatter() });
export const logger = createLogger();
export const metrics = new Metrics({ logger });

/** Publishes what an invocation has counted. Powertools' own middleware writes a plain-text warning when nothing was counted. */
function publishMetrics() {
  const publish = () => {
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
  };
  return { after: publish, onError: publish };
}

/** The middleware of every handler: structured logs and metrics. Lambda itself writes the traces. */
export const observability = () => [injectLambdaContext(logger, { clearState: true }), publishMetrics()];

/**
 * A failure's fields in a log: name, code and message, and the same of its cause. Stack and request are left out, as they could hold
 * secrets (P10). The failure's message is in `reason`, as `message` belongs to the log line. Texts are cut off: an error of zod quotes
 * each fault of a value.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: cutOff(String(error)) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: cutOff(error.code) } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { error: error.name, reason: cutOff(error.message), ...code, ...cause };
}

export function addCount(metric: string, count = 1): void {
  metrics.addMetric(metric, MetricUnit.Count, count);
}

/** Logs the warnings about rows that were taken, and counts the rows. */
export function logWarnings(warnings: readonly Warning[]): void {
  if (warnings.length === 0) return;
  addCount(
    'RowsWarned',
    warnings.reduce((sum, { rows }) => sum + rows, 0),
  );
  for (const warning of warnings) {
    // `message` belongs to the log line.
    const { message: reason, ...facts } = warning;
    logger.warn('rows to look at', { ...facts, reason: cutOff(reason) });
  }
}

/**
 * Codes with their own metric: the specification's codes for rows, and the connector's. Other codes get none: each dimension costs, and
 * others choose its text.
 */
const COUNTED_CODES: ReadonlySet<string> = new Set([
  ...['VAL_001', 'PRD_002', 'PRD_014', 'PRD_016', 'INV_001', 'INV_002', 'AUTH_014'],
  ...['EVENT_INVALID', 'DETAIL_TYPE_UNKNOWN', 'ROW_INVALID', 'ROW_NOT_OBJECT', 'ROW_TOO_LARGE', 'NAME_KIND'],
  ...['VERSION_KIND', 'VERSION_FUTURE', 'STORE_UNKNOWN', 'TOO_MANY_WAREHOUSES', 'REQUEST_INVALID'],
]);

/** Emits `RowsRejected` per code, with the dimension `code`. An unknown code counts as `other`. */
export function countRejections(rejections: Counts): void {
  const counts = {};
  for (const [code, count] of Object.entries(rejections))
    addCounts(counts, { [COUNTED_CODES.has(code) ? code : 'other']: count });
  for (const [code, count] of Object.entries<number>(counts)) {
    const metric = metrics.singleMetric();
    metric.addDimension('code', code);
    metric.addMetric('RowsRejected', MetricUnit.Count, count);
  }
}
