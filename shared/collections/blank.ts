/** The fault of a name that is only white space. Some systems fill empty fields with spaces. */
export const BLANK = 'must not be white space alone';

/** Whether a value is a text of only white space. An empty text is not: it has its own fault. */
export function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.trim() === '';
}
