/** Asks a list for one page: entries at most, and where the page before ended. */
export interface PageRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}
