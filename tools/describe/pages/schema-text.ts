/** The parts of JSON Schema that our own documents use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
}

const LINE_WIDTH = 100;

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'UUID',
  guid: 'UUID',
  uri: 'URL',
  'date-time': 'ISO 8601 time',
};

/**
 * A JSON Schema as short text for people: `{ sku?: string, stock: integer ≥ 0, decision: 'accept' | 'reject' }`. A
 * question mark stands behind the name of a field that may be left out. Broken into lines where one is too long.
 */
export function schemaText(schema: JsonSchema): string {
  return broken(schema, 0, 0);
}

/** @param level of indentation of the line, @param column characters that stand before the text in its line */
function broken(schema: JsonSchema, level: number, column: number): string {
  const line = onOneLine(schema);
  if (level * 2 + column + line.length <= LINE_WIDTH) return line;
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return alternatives.map((one) => broken(one, level, 0)).join(' | ');
  if (schema.type === 'array') return `[${broken(schema.items ?? {}, level, column + 1)}]`;
  if (schema.properties === undefined) return line;
  const pad = '  '.repeat(level + 1);
  const fields = fieldsOf(schema).map(
    ([key, value]) => `${key}: ${broken(value, level + 1, key.length + 2)}`,
  );
  const lines = filled(fields, LINE_WIDTH - pad.length).map((text) => `${pad}${text}`);
  return `{\n${lines.join(',\n')}\n${'  '.repeat(level)}}`;
}

/** Fields in as few lines as they need, each of several lines by itself. */
function filled(fields: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const field of fields) {
    const last = lines.at(-1);
    const joined = `${last}, ${field}`;
    if (last === undefined || joined.includes('\n') || joined.length >= width) lines.push(field);
    else lines[lines.length - 1] = joined;
  }
  return lines;
}

function onOneLine(schema: JsonSchema): string {
  if (Array.isArray(schema.type))
    return schema.type.map((type) => onOneLine({ ...schema, type })).join(' | ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map(onOneLine))].join(' | ');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  switch (schema.type) {
    case 'object':
      return objectLine(schema);
    case 'array':
      return `[${onOneLine(schema.items ?? {})}]`;
    case 'string':
      return FORMATS[schema.format ?? ''] ?? 'string';
    case 'integer':
    case 'number':
      return `${schema.type}${rangeText(schema)}`;
    case undefined:
      return 'any';
    default:
      return String(schema.type);
  }
}

function objectLine(schema: JsonSchema): string {
  const { properties, additionalProperties } = schema;
  if (properties === undefined) {
    return `{ [name]: ${onOneLine(typeof additionalProperties === 'object' ? additionalProperties : {})} }`;
  }
  const fields = fieldsOf(schema).map(([key, value]) => `${key}: ${onOneLine(value)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema): [string, JsonSchema][] {
  return Object.entries(properties).map(([name, value]) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`;
    return [required.includes(name) ? key : `${key}?`, value];
  });
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

/** The range of a number, such as ` 1 … 1000`; empty where it has none that matters. */
export function rangeText({ minimum, exclusiveMinimum, maximum }: JsonSchema): string {
  const least = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum;
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (exclusiveMinimum !== undefined)
    return most === undefined ? ` > ${exclusiveMinimum}` : ` ≤ ${most}, > 0`;
  if (least === undefined) return most === undefined ? '' : ` ≤ ${most}`;
  return most === undefined ? ` ≥ ${least}` : ` ${least} … ${most}`;
}
