/** What is wrong with a name of white space alone, as of systems that fill an empty field up with spaces. */
export const BLANK = 'must not be white space alone';

/** Whether a value is a text of white space alone. An empty one has a fault of its own. */
export function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.trim() === '';
}
