import { isObject } from '../collections/is-object.ts';
import { parseJson } from '../collections/parse-json.ts';

/**
 * A message's JSON with the ID and the time that it stands for where it names none of its own: sent on as another
 * message, it would stand for others. What is no JSON object stays as it is.
 *
 * @param time epoch ms.
 */
export function withIdentity(
  body: string,
  { id, time }: { readonly id: string; readonly time: number },
): string {
  const json = parseJson(body);
  return isObject(json) ? JSON.stringify({ id, time: new Date(time).toISOString(), ...json }) : body;
}
