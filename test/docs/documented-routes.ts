import { currentDocuments } from '../../tools/describe/documents.ts';

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: 'path' | 'query' }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: { readonly properties?: object } }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface DocumentedRoute {
  /** `GET /batches/{batchId}` */
  readonly key: string;
  readonly query: readonly string[];
  /** Names of the body's fields; none where there is no body. */
  readonly fields: readonly string[];
  /** Statuses of success. */
  readonly statuses: readonly number[];
}

/** Every route of the operations API, as its OpenAPI document describes it. */
export function documentedRoutes(): DocumentedRoute[] {
  const { paths } = currentDocuments()['openapi.json'] as {
    paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      key: `${method.toUpperCase()} ${path}`,
      query: (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name),
      fields: Object.keys(operation.requestBody?.content['application/json']?.schema.properties ?? {}),
      statuses: Object.keys(operation.responses).map(Number).filter(Number.isInteger),
    })),
  );
}
