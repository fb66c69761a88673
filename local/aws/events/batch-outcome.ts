/**
 * Returns the failed messages of a batch by Lambda's rules for `ReportBatchItemFailures`. An answer without failures means that all
 * messages succeeded. An answer that can't be read, or that names a message of another batch, means that all messages failed.
 *
 * @param answer what the function returned
 * @param messageIds the messages of the batch
 */
export function failedMessages(answer: unknown, messageIds: readonly string[]): ReadonlySet<string> {
  const all = new Set(messageIds);
  if (answer === null || answer === undefined) return new Set();
  if (typeof answer !== 'object') return all;
  const failures = (answer as { batchItemFailures?: unknown }).batchItemFailures;
  if (failures === null || failures === undefined) return new Set();
  if (!Array.isArray(failures)) return all;
  const failed = new Set<string>();
  for (const failure of failures) {
    const id: unknown = failure?.itemIdentifier;
    if (typeof id !== 'string' || !all.has(id)) return all;
    failed.add(id);
  }
  return failed;
}
