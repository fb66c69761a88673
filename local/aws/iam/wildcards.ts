const compiled = new Map<string, RegExp>();

/** Whether a pattern has a policy variable (`${…}`), which the local run does not resolve. */
export function hasVariable(pattern: string): boolean {
  return pattern.includes('${');
}

/** Whether a text matches a pattern in which `*` stands for any number of characters, and `?` for one character. */
export function matchesPattern(
  pattern: string,
  text: string,
  options: { ignoreCase?: boolean } = {},
): boolean {
  if (pattern === '*') return true;
  const key = `${options.ignoreCase ? 'i' : 's'}:${pattern}`;
  let expression = compiled.get(key);
  if (!expression) {
    const escaped = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    expression = new RegExp(`^${escaped}$`, options.ignoreCase ? 'is' : 's');
    compiled.set(key, expression);
  }
  return expression.test(text);
}

/** As `matchesPattern`, with the wildcards kept within the colon-separated parts of an ARN. */
export function matchesArn(pattern: string, arn: string): boolean {
  if (pattern === '*') return true;
  const patternParts = arnParts(pattern);
  const parts = arnParts(arn);
  return (
    patternParts.length === parts.length &&
    patternParts.every((part, i) => matchesPattern(part, parts[i] ?? ''))
  );
}

function arnParts(arn: string): string[] {
  const parts = arn.split(':');
  return parts.length <= 6 ? parts : [...parts.slice(0, 5), parts.slice(5).join(':')];
}
