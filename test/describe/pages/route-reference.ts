import { currentDocuments } from '../documents.ts';
import { markdownTable } from './markdown.ts';
import { type JsonSchema, schemaText } from './schema-text.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

interface Operation {
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

export interface DocumentedRoute {
  /** `GET /batches/{batchId}` */
  readonly key: string;
  readonly operation: Operation;
}

/**
 * The parts of docs/http-api.md, each with the paths whose routes it describes; the first that matches counts. Routes
 * of no other part are in `other`, so that a new one is described without a change here.
 */
const PARTS = {
  documents: /\/documents\//,
  orders: /^\/stores\/\{storeClientId\}\/orders/,
  products: /^\/stores\/\{storeClientId\}\/(products|catalog)/,
  'stock-and-prices': /^\/stores\/\{storeClientId\}\/(stock|prices|listings|price-guard|release|discard)/,
  warehouses: /^\/(stores\/\{storeClientId\}\/warehouses|brands)/,
  stores: /^\/stores/,
  batches: /^\/(batches|summaries)/,
  other: /^/,
} as const;

export type Part = keyof typeof PARTS;
const inOrderOfMatching = Object.keys(PARTS) as Part[];

/** In the order of the page. */
export const parts: readonly Part[] = [
  'stores',
  'products',
  'stock-and-prices',
  'orders',
  'documents',
  'warehouses',
  'batches',
  'other',
];

/** Every route of the operations API, as its OpenAPI document describes it. */
export function documentedRoutes(): DocumentedRoute[] {
  const { paths } = currentDocuments()['openapi.json'] as {
    paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      key: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
}

function partOf({ key }: DocumentedRoute): Part | undefined {
  const path = key.split(' ')[1] ?? '';
  return inOrderOfMatching.find((part) => PARTS[part].test(path));
}

/** All routes in one table, each with a link to its description. */
export function routeTable(): string {
  const routes = documentedRoutes();
  const inOrder = parts.flatMap((part) => routes.filter((route) => partOf(route) === part));
  return markdownTable(
    ['route', 'does', 'answers'],
    inOrder.map((route) => [
      `[\`${route.key}\`](#${anchorOf(route.key)})`,
      route.operation.summary ?? '',
      statusesOf(route.operation).join(', '),
    ]),
  );
}

/** The description of each route of a part: parameters, body and answers, by the schemas that the code checks with. */
export function routesOfPart(part: Part): string {
  return documentedRoutes()
    .filter((route) => partOf(route) === part)
    .map(routeSection)
    .join('\n\n');
}

function routeSection({ key, operation }: DocumentedRoute): string {
  const { summary = '', parameters = [], requestBody, responses } = operation;
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const body = requestBody?.content['application/json']?.schema;
  const answers = statusesOf(operation).map((status) => {
    const [type = '', content] = Object.entries(responses[status]?.content ?? {})[0] ?? [];
    const text = type === 'application/json' && content ? schemaText(content.schema) : type;
    return `// answer ${status}\n${text}`;
  });
  const shapes = [...(body === undefined ? [] : [`// body\n${schemaText(body)}`]), ...answers];
  return [
    `#### \`${key}\``,
    `${summary}.`,
    ...(query.length > 0 ? [queryTable(query)] : []),
    folded(`\`\`\`ts\n${shapes.join('\n')}\n\`\`\``),
  ].join('\n\n');
}

/** Lines up to which a shape is shown without a click. */
const MOST_UNFOLDED = 16;

function folded(code: string): string {
  if (code.split('\n').length <= MOST_UNFOLDED) return code;
  return `<details><summary>Body and answer</summary>\n\n${code}\n\n</details>`;
}

function queryTable(query: readonly Parameter[]): string {
  return markdownTable(
    ['query', 'is', 'default'],
    query.map(({ name, required, schema }) => [
      `\`${name}\``,
      `${typeOf(schema)}${required ? ', needed' : ''}`,
      schema.default === undefined ? '' : `\`${String(schema.default)}\``,
    ]),
  );
}

function typeOf(schema: JsonSchema): string {
  const text = schemaText(schema);
  return schema.enum === undefined ? text : `\`${text}\``;
}

function statusesOf({ responses }: Operation): string[] {
  return Object.keys(responses).filter((status) => status !== 'default');
}

/** The anchor that GitHub makes of a heading that is the route's key. */
function anchorOf(key: string): string {
  return key
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');
}
