import { describe, expect, test } from 'vitest';
import { createRouter } from '../../../../local/aws/http-api/routes.ts';
import type { HttpRoute } from '../../../../local/aws/model.ts';

function route(routeKey: string): HttpRoute {
  const [method = '', path = routeKey] = routeKey === '$default' ? ['ANY', '$default'] : routeKey.split(' ');
  return { method, path, routeKey, authorization: 'NONE', functionName: 'f', timeoutMs: 30_000 };
}

const find = createRouter(
  [
    'ANY /{proxy+}',
    'GET /stores/{storeClientId}/products/{id}',
    'ANY /stores/{storeClientId}/products/by-sku',
    'GET /stores/{storeClientId}/products/by-sku',
    'PATCH /stores/{storeClientId}/{rest+}',
    'GET /stores',
    'GET /',
  ].map(route),
);

describe('the most specific route is taken', () => {
  test.each([
    ['a literal path', 'GET', '/stores', 'GET /stores', {}],
    ['the root', 'GET', '/', 'GET /', {}],
    [
      'parameters',
      'GET',
      '/stores/s-1/products/42',
      'GET /stores/{storeClientId}/products/{id}',
      { storeClientId: 's-1', id: '42' },
    ],
    [
      'a literal before a parameter',
      'GET',
      '/stores/s-1/products/by-sku',
      'GET /stores/{storeClientId}/products/by-sku',
      { storeClientId: 's-1' },
    ],
    [
      'ANY for another method',
      'PUT',
      '/stores/s-1/products/by-sku',
      'ANY /stores/{storeClientId}/products/by-sku',
      { storeClientId: 's-1' },
    ],
    [
      'a greedy parameter over several segments',
      'PATCH',
      '/stores/s-1/a/b',
      'PATCH /stores/{storeClientId}/{rest+}',
      { storeClientId: 's-1', rest: 'a/b' },
    ],
    ['the catch-all when the method fits no other', 'POST', '/stores', 'ANY /{proxy+}', { proxy: 'stores' }],
  ])('%s', (_what, method, path, routeKey, pathParameters) => {
    expect(find(method, path)).toEqual({ route: expect.objectContaining({ routeKey }), pathParameters });
  });
});

test('$default matches requests without another route, and only if it is declared', () => {
  const routes = [route('GET /stores'), route('$default')];
  expect(createRouter(routes)('GET', '/elsewhere')?.route.routeKey).toBe('$default');
  expect(createRouter(routes.slice(0, 1))('GET', '/elsewhere')).toBeUndefined();
});

test.each(['/stores/', '/stores//products/1', '/stores/s/products/1/2', '/stores/s/products/'])(
  '%s does not match a path with other segments',
  (path) => {
    const routes = ['GET /stores', 'GET /stores/{storeClientId}/products/{id}'].map(route);
    expect(createRouter(routes)('GET', path)).toBeUndefined();
  },
);

test('a segment named like a property of the prototype matches no route', () => {
  expect(createRouter([route('GET /{a}')])('GET', '/constructor')?.pathParameters).toEqual({
    a: 'constructor',
  });
});
