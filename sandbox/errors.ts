/** The errors of §7 with the sandbox's statuses, and the sandbox's own codes. */
const ERRORS = {
  AUTH_003: { status: 401, message: 'Expired or invalid timestamp' },
  AUTH_010: { status: 401, message: 'Invalid signature' },
  AUTH_011: { status: 401, message: 'Partner ID not registered' },
  AUTH_014: { status: 403, message: 'Access forbidden' },
  VAL_001: { status: 400, message: 'Validation failed' },
  PRD_002: { status: 409, message: 'Product with this external ID already exists' },
  PRD_014: { status: 404, message: 'Product not found' },
  PRD_016: { status: 404, message: 'Invalid SKU' },
  INV_001: { status: 404, message: 'Invalid SKU' },
  INV_002: { status: 404, message: 'Invalid Product ID' },
  WAREHOUSE_013: { status: 409, message: 'Warehouse name already exists for this store.' },
  STORE_020: { status: 404, message: 'Store ID not found' },
  STORE_021: { status: 409, message: 'Store inactive or deleted' },
  ORDER_001: { status: 404, message: 'Order not found' },
  ORDER_021: { status: 409, message: 'Order status does not allow this operation' },
  ORDER_026: { status: 422, message: 'No items are eligible for pickup' },
  SYS_DEP_503: { status: 503, message: 'Service temporarily unavailable' },
  SYS_UPS_001: { status: 504, message: 'Failed getting response from upstream' },
  NOT_FOUND: { status: 404, message: 'No such endpoint' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'Method not allowed' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'Request body too large' },
  RATE_LIMITED: { status: 429, message: 'Too many requests' },
  INTERNAL_ERROR: { status: 500, message: 'Internal error' },
} as const;

export type ErrorCode = keyof typeof ERRORS;

function isErrorCode(code: string): code is ErrorCode {
  return code in ERRORS;
}

export function messageOf(code: ErrorCode): string {
  return ERRORS[code].message;
}

/** The default code of an injected fault with this status. */
export function codeOfStatus(status: number): ErrorCode {
  const named: Partial<Record<number, ErrorCode>> = {
    400: 'VAL_001',
    401: 'AUTH_010',
    403: 'AUTH_014',
    404: 'PRD_014',
    409: 'ORDER_021',
    422: 'ORDER_026',
    429: 'RATE_LIMITED',
    503: 'SYS_DEP_503',
    504: 'SYS_UPS_001',
  };
  return named[status] ?? 'INTERNAL_ERROR';
}

interface ApiErrorOptions {
  /** HTTP status; default: the code's own. */
  status?: number;
  message?: string;
  hint?: string;
  context?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** A refusal in the standard error envelope (§1). */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly hint: string | undefined;
  readonly context: Record<string, unknown> | undefined;
  readonly headers: Record<string, string>;

  constructor(code: string, options: ApiErrorOptions = {}) {
    super(options.message ?? (isErrorCode(code) ? messageOf(code) : code));
    this.code = code;
    this.status = options.status ?? (isErrorCode(code) ? ERRORS[code].status : 500);
    this.hint = options.hint;
    this.context = options.context;
    this.headers = options.headers ?? {};
  }
}

/** VAL_001 for a whole request; `validationErrors` maps field to message. */
export function validationError(validationErrors: Record<string, string>, reason?: string): ApiError {
  const context = reason === undefined ? { validationErrors } : { reason, validationErrors };
  return new ApiError('VAL_001', { context });
}
