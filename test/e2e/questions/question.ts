/** A question as a person types it, and what a true answer has and has not. */
export interface Question {
  /** Words after `connector`; `{name}` is one of the names of the situations. */
  readonly ask: string;
  readonly has: readonly (string | RegExp)[];
  readonly hasNot?: readonly (string | RegExp)[];
}

/** What an answer about something that was received must not say. */
export const NOTHING = /not received/;
