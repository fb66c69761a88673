import { describe, expect, test } from 'vitest';
import { hostFunction } from './temporary-function.ts';

/** Waits for the file named in the event, if any, then answers with its process id. */
const GATED = `
  import { existsSync } from 'node:fs';
  export const handler = async ({ gate, line }) => {
    if (line) console.log(line);
    while (gate && !existsSync(gate)) await new Promise((resolve) => setTimeout(resolve, 5));
    return process.pid;
  };`;
/** A file that is never created. */
const NEVER = '/nonexistent/gate';

describe('an invocation', () => {
  test('receives the event and answers with what the handler returns', async () => {
    await using host = await hostFunction(
      'export const handler = async (event) => ({ doubled: event.n * 2 });',
    );
    expect(await host.invoke({ n: 21 })).toEqual({ ok: true, payload: { doubled: 42 } });
  });

  test('answers null when the handler returns nothing', async () => {
    await using host = await hostFunction('export const handler = async () => {};');
    expect(await host.invoke({})).toEqual({ ok: true, payload: null });
  });

  test('reports a thrown error by type and message, and keeps the process of the function alive', async () => {
    await using host = await hostFunction(`
      export const handler = async (event) => { if (event.bad) throw new RangeError('no such row'); return process.pid; };`);
    const before = await host.invoke({});
    expect(await host.invoke({ bad: true })).toEqual({
      ok: false,
      errorType: 'RangeError',
      errorMessage: 'no such row',
    });
    expect(host.logs().map((line) => line.message)).toContainEqual(expect.stringContaining('no such row'));
    expect(await host.invoke({})).toEqual(before);
  });

  test('receives a context with the remaining time', async () => {
    await using host = await hostFunction(
      `export const handler = async (event, context) => ({ ...context, remaining: context.getRemainingTimeInMillis() });`,
      { definition: { timeoutSeconds: 7 } },
    );
    const result = await host.invoke({});
    expect(result).toMatchObject({
      ok: true,
      payload: {
        functionName: 'under-test',
        functionVersion: '$LATEST',
        memoryLimitInMB: '256',
        invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:under-test',
        awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    });
    const { remaining } = (result as { payload: { remaining: number } }).payload;
    expect(remaining).toBeGreaterThan(0);
    expect(remaining).toBeLessThanOrEqual(7000);
  });

  test('has the environment of the template, the credentials of its role and the local endpoint, and none of our variables', async () => {
    process.env.OF_THE_LOCAL_RUN = 'must not be seen';
    await using host = await hostFunction('export const handler = async () => process.env;');
    const result = await host.invoke({});
    delete process.env.OF_THE_LOCAL_RUN;
    expect(result).toMatchObject({
      payload: {
        GREETING: 'hello',
        AWS_ACCESS_KEY_ID: 'ASIA1',
        AWS_SESSION_TOKEN: 'role-session',
        AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
        AWS_REGION: 'us-east-1',
        AWS_LAMBDA_FUNCTION_NAME: 'under-test',
      },
    });
    expect(result).not.toHaveProperty('payload.OF_THE_LOCAL_RUN');
  });

  test('is refused when the event is larger than 6 MB', async () => {
    await using host = await hostFunction('export const handler = async (event) => event.text.length;');
    expect(await host.invoke({ text: 'x'.repeat(6_000_000) })).toEqual({ ok: true, payload: 6_000_000 });
    expect(await host.invoke({ text: 'x'.repeat(6_300_000) })).toMatchObject({
      errorType: 'RequestEntityTooLargeException',
    });
  });

  test('fails when the response is larger than 6 MB', async () => {
    await using host = await hostFunction(`export const handler = async (n) => 'x'.repeat(n);`);
    expect(await host.invoke(6_300_000)).toMatchObject({ errorType: 'Function.ResponseSizeTooLarge' });
  });

  test('fails when the response can not be written as JSON', async () => {
    await using host = await hostFunction('export const handler = async () => 1n;');
    expect(await host.invoke({})).toMatchObject({ ok: false, errorType: 'Runtime.MarshalError' });
  });
});

describe('a process of a function', () => {
  test('is reused while it is warm', async () => {
    await using host = await hostFunction('let count = 0; export const handler = async () => ++count;');
    await host.invoke({});
    expect(await host.invoke({})).toEqual({ ok: true, payload: 2 });
  });

  test('serves one invocation at a time: overlapping ones get their own, up to the limit, and then wait', async () => {
    await using host = await hostFunction(
      'export const handler = async () => { await new Promise((resolve) => setTimeout(resolve, 50)); return process.pid; };',
      { maximumProcesses: 2 },
    );
    const results = await Promise.all(Array.from({ length: 6 }, () => host.invoke({})));
    const pids = results.map((result) => (result.ok ? result.payload : result.errorMessage));
    expect(new Set(pids).size).toBe(2);
    expect(host.running()).toBe(0);
  });

  test('is not started beyond the reserved concurrency: further invocations are throttled', async () => {
    await using host = await hostFunction(GATED, { definition: { reservedConcurrency: 1 } });
    const first = host.invoke({ gate: NEVER });
    expect(await host.invoke({})).toMatchObject({ ok: false, errorType: 'TooManyRequestsException' });
    host.kill();
    expect(await first).toMatchObject({ ok: false });
    expect(await host.invoke({})).toMatchObject({ ok: true });
  });

  test('is ended at the timeout of the template, and the next invocation gets a new one', async () => {
    await using host = await hostFunction(GATED, { definition: { timeoutSeconds: 0.3 } });
    const before = await host.invoke({});
    expect(await host.invoke({ gate: NEVER })).toMatchObject({
      errorType: 'Sandbox.Timedout',
      errorMessage: expect.stringMatching(/Task timed out after 0\.30 seconds$/),
    });
    const after = await host.invoke({});
    expect(after).toMatchObject({ ok: true });
    expect(after).not.toEqual(before);
  });

  test('is ended at the timeout also while it blocks its event loop', async () => {
    await using host = await hostFunction('export const handler = async () => { for (;;); };', {
      definition: { timeoutSeconds: 0.3 },
    });
    expect(await host.invoke({})).toMatchObject({ errorType: 'Sandbox.Timedout' });
  });

  test('fails its invocation when it is killed, and the next invocation succeeds', async () => {
    await using host = await hostFunction(GATED);
    const started = Promise.withResolvers<void>();
    const poll = setInterval(
      () => host.logs().some(({ message }) => message === 'begun') && started.resolve(),
      5,
    );
    const invocation = host.invoke({ gate: NEVER, line: 'begun' });
    await started.promise;
    clearInterval(poll);
    expect(host.kill()).toBe(true);
    expect(await invocation).toMatchObject({
      errorType: 'Runtime.ExitError',
      errorMessage: expect.stringContaining('signal: killed'),
    });
    expect(await host.invoke({})).toMatchObject({ ok: true });
  });

  test('can not be killed before the first invocation', async () => {
    await using host = await hostFunction(GATED);
    expect(host.kill()).toBe(false);
  });

  test('fails its invocation when it exits by itself', async () => {
    await using host = await hostFunction('export const handler = async () => process.exit(3);');
    expect(await host.invoke({})).toMatchObject({
      errorType: 'Runtime.ExitError',
      errorMessage: expect.stringContaining('exit status 3'),
    });
  });

  test('reports why the function failed to load, and loads it again the next time', async () => {
    await using host = await hostFunction(`throw new TypeError('placeholder secret');`);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await host.invoke({})).toEqual({
        ok: false,
        errorType: 'TypeError',
        errorMessage: 'placeholder secret',
      });
    }
    expect(host.logs().filter(({ message }) => message.startsWith('Init Error'))).toHaveLength(2);
  });

  test('reports a missing bundle as a failure and does not crash', async () => {
    await using host = await hostFunction(GATED, { definition: { assetDirectory: '/nonexistent/asset' } });
    expect(await host.invoke({})).toMatchObject({ ok: false, errorType: 'Runtime.StartError' });
  });

  test('is ended when it exceeds its memory', async () => {
    await using host = await hostFunction(
      'const kept = []; export const handler = async () => { for (;;) kept.push(new Array(100_000).fill(0)); };',
      { definition: { memoryMb: 128 } },
    );
    expect(await host.invoke({})).toMatchObject({ ok: false, errorType: 'Runtime.ExitError' });
    expect(host.logs().map(({ message }) => message)).toContainEqual(
      expect.stringContaining('heap out of memory'),
    );
  });

  test('is ended when the host stops, and later invocations are refused', async () => {
    await using host = await hostFunction(GATED);
    const { payload: pid } = (await host.invoke({})) as { payload: number };
    const underWay = host.invoke({ gate: NEVER });
    await host.stop();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(await underWay).toMatchObject({ ok: false });
    expect(await host.invoke({})).toMatchObject({ errorType: 'ResourceNotFoundException' });
  });
});

describe('output of a function', () => {
  test('is recorded by line, in order, with its invocation, before the invocation has answered', async () => {
    await using host = await hostFunction(`
      export const handler = async (event, context) => {
        console.log(JSON.stringify({ level: 'INFO' }));
        process.stdout.write('half ');
        process.stdout.write('a line');
        return context.awsRequestId;
      };`);
    const { payload: requestId } = (await host.invoke({})) as { payload: string };
    expect(host.logs()).toMatchObject([
      { source: 'under-test', stream: 'stdout', message: '{"level":"INFO"}', requestId },
      { source: 'under-test', stream: 'stdout', message: 'half a line', requestId },
    ]);
  });
});
