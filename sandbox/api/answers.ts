/** An endpoint's answer before it is put into its envelope. */
export type Answer =
  | { kind: 'enveloped'; message: string; data: unknown; dispatch?: boolean; pagination?: Pagination }
  | { kind: 'bare'; body: Record<string, unknown> }
  | { kind: 'pdf'; bytes: Uint8Array; fileName: string };

export interface Pagination {
  page: number;
  limit: number;
  total: number;
  totalPages: number;
  hasNext: boolean;
  hasPrev: boolean;
}

/** An answer in the standard success envelope (§1). */
export function enveloped(
  message: string,
  data: unknown,
  extra: { dispatch?: boolean; pagination?: Pagination } = {},
): Answer {
  return { kind: 'enveloped', message, data, ...extra };
}

/** An answer without the envelope, as specified for some endpoints. */
export function bare(body: Record<string, unknown>): Answer {
  return { kind: 'bare', body };
}

export function pdf(bytes: Uint8Array, fileName: string): Answer {
  return { kind: 'pdf', bytes, fileName };
}
