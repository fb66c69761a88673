import type { HttpRoute } from '../model.ts';

export interface RouteMatch {
  route: HttpRoute;
  pathParameters: Record<string, string>;
}

type Segment = { kind: 'literal'; text: string } | { kind: 'parameter' | 'greedy'; name: string };

interface CompiledRoute {
  route: HttpRoute;
  segments: readonly Segment[];
}

/** The order of segment kinds, the most specific first. */
const ORDER = { literal: 0, parameter: 1, greedy: 2 } as const;

/**
 * Makes a router of an HTTP API's routes. It chooses the most specific route for method and path: a literal segment before `{name}`,
 * `{name}` before `{name+}`, a named method before `ANY`. `$default` matches everything else.
 *
 * @returns the match of a decoded path, undefined when no route fits
 */
export function createRouter(
  routes: readonly HttpRoute[],
): (method: string, path: string) => RouteMatch | undefined {
  const compiled = routes
    .filter((route) => route.path !== '$default')
    .map((route) => ({ route, segments: segmentsOf(route.path) }))
    .sort(bySpecificity);
  const fallback = routes.find((route) => route.path === '$default');

  return (method, path) => {
    const parts = path.split('/').slice(1);
    for (const { route, segments } of compiled) {
      if (route.method !== 'ANY' && route.method !== method) continue;
      const pathParameters = matchSegments(segments, parts);
      if (pathParameters !== undefined) return { route, pathParameters };
    }
    return fallback === undefined ? undefined : { route: fallback, pathParameters: {} };
  };
}

function segmentsOf(path: string): Segment[] {
  return path
    .split('/')
    .slice(1)
    .map((text) => {
      const [, name, plus] = /^\{([^{}+]+)(\+?)\}$/.exec(text) ?? [];
      if (name === undefined) return { kind: 'literal', text };
      return { kind: plus === '+' ? 'greedy' : 'parameter', name };
    });
}

function bySpecificity(a: CompiledRoute, b: CompiledRoute): number {
  const length = Math.max(a.segments.length, b.segments.length);
  for (let index = 0; index < length; index += 1) {
    const [one, other] = [a.segments[index], b.segments[index]];
    const difference =
      (one === undefined ? 3 : ORDER[one.kind]) - (other === undefined ? 3 : ORDER[other.kind]);
    if (difference !== 0) return difference;
  }
  return Number(a.route.method === 'ANY') - Number(b.route.method === 'ANY');
}

function matchSegments(
  segments: readonly Segment[],
  parts: readonly string[],
): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const part = parts[index];
    if (part === undefined) return undefined;
    if (segment.kind === 'literal') {
      if (part !== segment.text) return undefined;
    } else if (segment.kind === 'greedy') {
      const rest = parts.slice(index).join('/');
      return rest === '' ? undefined : { ...parameters, [segment.name]: rest };
    } else {
      if (part === '') return undefined;
      parameters[segment.name] = part;
    }
  }
  return parts.length === segments.length ? parameters : undefined;
}
