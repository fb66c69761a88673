/** Most characters that an error, an answer or a log line quotes of a text of others. */
const MAX_TEXT_LENGTH = 1000;

/** The start of a text, by default 1,000 characters. Half of a character at the cut is replaced, as an event can't contain it. */
export function cutOff(text: string, length = MAX_TEXT_LENGTH): string {
  return text.slice(0, length).toWellFormed();
}
