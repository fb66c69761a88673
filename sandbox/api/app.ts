import { Hono } from 'hono';
import { ApiError } from '../errors.ts';
import { ENDPOINTS } from '../resources/index.ts';
import type { World } from '../world.ts';
import type { Endpoint } from './endpoint.ts';
import { type ApiEnv, receiveBody, recordExchange } from './exchange.ts';
import { respondError } from './respond.ts';
import { momentOf, serve } from './serve.ts';

/** The API below `/api/v1`. `sandboxUrl` is known only once the server listens. */
export function apiApp(world: World, sandboxUrl: () => string): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>().basePath('/api/v1');
  app.use(
    recordExchange({
      clock: world.clock,
      newId: () => world.newId(),
      marketplace: () => world.marketplace,
    }),
  );
  app.use(receiveBody);
  for (const endpoint of ENDPOINTS) {
    app.on(endpoint.method, routeOf(endpoint), (c) => serve(c, endpoint, world, sandboxUrl()));
  }
  for (const endpoint of ENDPOINTS) {
    const allowed = ENDPOINTS.filter(({ path }) => path === endpoint.path).map(({ method }) => method);
    app.all(routeOf(endpoint), () => {
      throw new ApiError('METHOD_NOT_ALLOWED', { headers: { allow: allowed.join(', ') } });
    });
  }
  app.notFound((c) => respondError(c, new ApiError('NOT_FOUND'), momentOf(c, world)));
  app.onError((error, c) => respondError(c, asApiError(error), momentOf(c, world)));
  return app;
}

function routeOf(endpoint: Endpoint): string {
  return endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function asApiError(error: Error): ApiError {
  if (error instanceof ApiError) return error;
  console.error(error);
  return new ApiError('INTERNAL_ERROR');
}
