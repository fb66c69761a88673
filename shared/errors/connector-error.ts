/** Fields of every typed error. A handler decides by these alone whether a message is retried. */
export interface ConnectorErrorOptions {
  /** Stable, upper-case identifier of the rule or fault, for instance `SECRET_PLACEHOLDER`. */
  readonly code: string;
  /** Whether the same work may succeed later. Default `false`. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
  /** Further facts for the log and the operator; never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Base of the connector's own errors. */
export class ConnectorError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(message: string, options: ConnectorErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ConnectorError';
    this.code = options.code;
    this.retryable = options.retryable ?? false;
    this.details = options.details;
  }
}
