/** A possible mistake in the connector. */
export interface Mutant {
  readonly name: string;
  /** Path from the project's root. */
  readonly file: string;
  /** The text to replace, which occurs exactly once; a missing text is an error, not a surviving mutant. */
  readonly find: string;
  readonly replace: string;
  /** Only scenarios whose name contains this can show the mistake. Default: all can. */
  readonly scenario?: string;
}
