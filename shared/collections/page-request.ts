/** One page of a list: its most entries, and the cursor of the previous page. */
export interface PageRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}
