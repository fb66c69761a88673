/** How many rows were rejected with each code. */
export function countByCode(
  rejections: readonly { readonly code: string; readonly rowIndexes?: readonly number[] | undefined }[],
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code, rowIndexes } of rejections) {
    counts[code] = (counts[code] ?? 0) + (rowIndexes?.length ?? 1);
  }
  return counts;
}
