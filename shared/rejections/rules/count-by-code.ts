/** How many rows were rejected with each code. */
export function countByCode(rejections: readonly { readonly code: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code } of rejections) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}
