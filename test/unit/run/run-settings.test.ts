import { describe, expect, test } from 'vitest';
import { readRunSettings, wantedPorts } from '../../../local/run/run-settings.ts';

describe('variables of the local run', () => {
  test('give three ports by default', () => {
    expect(wantedPorts(readRunSettings({}))).toEqual([
      { variable: 'LOCAL_AWS_PORT', port: 4566 },
      { variable: 'LOCAL_API_PORT', port: 4567 },
      { variable: 'SANDBOX_PORT', port: 4568 },
    ]);
  });

  test('name another marketplace, which needs no port', () => {
    const settings = readRunSettings({
      LOCAL_AWS_PORT: '0',
      MARKETPLACE_BASE_URL: 'https://marketplace.example/',
      MARKETPLACE_STORES: 'a=1, b=2=3',
    });
    expect(settings.marketplace?.baseUrl).toBe('https://marketplace.example');
    expect(settings.stores).toEqual({ a: '1', b: '2=3' });
    expect(wantedPorts(settings).map(({ variable }) => variable)).toEqual([
      'LOCAL_AWS_PORT',
      'LOCAL_API_PORT',
    ]);
  });

  test.each(['abc', '', '70000', '-1', '1.5', '0x10'])('a port "%s" is refused by name', (port) => {
    expect(() => readRunSettings({ LOCAL_API_PORT: port })).toThrow(
      new Error(`LOCAL_API_PORT must be a port, 0 (any free one) to 65535, not "${port}"`),
    );
  });

  test('may end in a carriage return, as those of a file with Windows line ends', () => {
    const settings = readRunSettings({
      SANDBOX_PORT: '0\r',
      MARKETPLACE_BASE_URL: 'https://marketplace.example/\r',
      MARKETPLACE_PARTNER_CLIENT_ID: 'partner\r',
      MARKETPLACE_PARTNER_SECRET_KEY: 'key\r',
      MARKETPLACE_STORES: 'a=1\r',
    });
    expect(settings).toMatchObject({
      sandboxPort: 0,
      marketplace: {
        baseUrl: 'https://marketplace.example',
        partnerClientId: 'partner',
        partnerSecretKey: 'key',
      },
      stores: { a: '1' },
    });
  });

  test.each([
    ['a=1,a=2', 'must have each store once, not "a" twice'],
    ['a = 1', 'must be storeClientId=token,…, not "a "'],
    ['a= 1', 'must be storeClientId=token,…, not "a"'],
  ])('stores that may be read in two ways are refused: %s', (MARKETPLACE_STORES, message) => {
    expect(() => readRunSettings({ MARKETPLACE_STORES })).toThrow(`MARKETPLACE_STORES ${message}`);
  });

  test('have one line each when they are wrong', () => {
    const wrong = { SANDBOX_PORT: 'x', MARKETPLACE_BASE_URL: 'ftp://host', MARKETPLACE_STORES: 'a' };
    expect(() => readRunSettings(wrong)).toThrow(
      new Error(
        [
          'SANDBOX_PORT must be a port, 0 (any free one) to 65535, not "x"',
          'MARKETPLACE_BASE_URL must be https, or http on this machine, without /api/v1',
          'MARKETPLACE_STORES must be storeClientId=token,…, not "a"',
        ].join('\n'),
      ),
    );
    expect(() => readRunSettings({ MARKETPLACE_BASE_URL: 'http://elsewhere' })).toThrow(
      new Error('MARKETPLACE_BASE_URL must be https, or http on this machine, without /api/v1'),
    );
  });
});
