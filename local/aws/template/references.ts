/**
 * The logical IDs and parameters that a value of the template refers to by `Ref`, `Fn::GetAtt` or `Fn::Sub`.
 */
export function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, argument]) => {
    if (key === 'Ref') return [String(argument)];
    if (key === 'Fn::GetAtt') return [String([argument].flat()[0]).split('.')[0] ?? ''];
    if (key !== 'Fn::Sub') return referencesIn(argument);
    const [pattern, variables] = [argument].flat();
    const names = [...String(pattern).matchAll(/\$\{([^!}][^}]*)\}/g)].map(
      ([, name = '']) => name.split('.')[0] ?? '',
    );
    return [...names, ...referencesIn(variables)];
  });
}
