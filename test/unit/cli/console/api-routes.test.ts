import { describe, expect, test } from 'vitest';
import { API_ROUTES, allowedCall } from '../../../../cli/console/security/api-routes.ts';
import { operationsRoutes } from '../../../../infra/routes.ts';

describe('the calls that the console passes on', () => {
  test('are routes of the operations API', () => {
    expect(API_ROUTES.filter((route) => !(operationsRoutes as readonly string[]).includes(route))).toEqual(
      [],
    );
  });

  test.each([
    ['GET', '/batches', ['batches']],
    ['GET', '/batches/a%2Fb', ['batches', 'a/b']],
    ['POST', '/stores/store-0wh/orders/resolve', ['stores', 'store-0wh', 'orders', 'resolve']],
  ])('%s %s', (method, path, parts) => {
    expect(allowedCall(method, path)).toEqual(parts);
  });

  test.each([
    ['a route that is not on the list', 'GET', '/openapi.json'],
    ['the token of a store', 'PUT', '/stores/store-0wh'],
    ['the end of a connection', 'POST', '/stores/store-0wh/unbind'],
    ['another method', 'DELETE', '/batches'],
    ['dots as a name', 'GET', '/batches/..'],
    ['encoded dots as a name', 'GET', '/batches/%2E%2E'],
    ['one dot', 'GET', '/batches/.'],
    ['an empty name', 'GET', '/batches/'],
    ['a further part', 'GET', '/batches/a/b'],
    ['a part of a route', 'GET', '/stores/a/orders/b'],
    ['a broken encoding', 'GET', '/batches/%E0%A4%A'],
    ['nothing', 'GET', ''],
  ])('are not: %s', (_, method, path) => {
    expect(allowedCall(method, path)).toBeUndefined();
  });
});
