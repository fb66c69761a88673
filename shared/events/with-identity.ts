/**
 * A message's event with the ID and the time that it stands for where it names none of its own: sent on as another
 * message, it would stand for others. Its text stays as it is, however deep it nests.
 *
 * @param body JSON of an event that was understood.
 * @param time epoch ms.
 */
export function withIdentity(
  body: string,
  { id, time }: { readonly id: string; readonly time: number },
): string {
  const event: object = JSON.parse(body);
  const facts = Object.entries({ id, time: new Date(time).toISOString() }).filter(
    ([name]) => !(name in event),
  );
  const own = facts.map((fact) => fact.map((part) => JSON.stringify(part)).join(':'));
  return `{${[...own, body.slice(body.indexOf('{') + 1)].join(',')}`;
}
