/** ID of a message with rows of a file, by its number in the file. */
export function messageIdOf(importId: string, number: number): string {
  return `${importId}/${number}`;
}

const OF_IMPORT = /^([0-9a-f]{32})(?:\/\d+)?$/;

/** The import of a message, or of a command that has the ID of the import itself; `undefined` for other IDs. */
export function importOfMessage(id: string): string | undefined {
  return OF_IMPORT.exec(id)?.[1];
}
