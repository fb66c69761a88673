/** Most characters of a text of others in an error, an answer or a log line. */
const MAX_TEXT_LENGTH = 1000;

/** The start of a text, default 1,000 characters. A cut may leave half of a character, which an event can't contain. */
export function cutOff(text: string, length = MAX_TEXT_LENGTH): string {
  return text.slice(0, length).toWellFormed();
}
