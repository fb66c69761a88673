/** A mistake that somebody could make in the connector. */
export interface Mutant {
  readonly name: string;
  /** Path from the project's root. */
  readonly file: string;
  /** The text that stands there once and only once; a mutant whose text is gone is an error, not a survivor. */
  readonly find: string;
  readonly replace: string;
}
