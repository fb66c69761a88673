import { z } from 'zod';
import { openApiDocument } from '../../shared/api-description/openapi.ts';
import { type Route, route } from './route.ts';

/** The OpenAPI document of `others` and of the route itself, made from the schemas that they check with. */
export function openApiRoute(others: readonly Route[]): Route {
  const self: Route = route(
    'GET /openapi.json',
    { summary: 'This description', answers: { 200: z.looseObject({ openapi: z.string() }) } },
    async () => ({ status: 200, body: openApiDocument([...others, self]) }),
  );
  return self;
}
