/**
 * Which messages of a batch failed, by Lambda's rules for `ReportBatchItemFailures`: an answer without failures means
 * that all went well, and one that can't be understood, or names a message that was not in the batch, that all failed.
 *
 * @param answer what the function returned
 * @param messageIds those of the batch
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
