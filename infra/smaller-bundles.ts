import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** Modules whose unused parts esbuild can't leave out by itself, with what the functions use of them. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  // Lambda sets a function's credentials in its environment, so the SDK's other ways to find some are not needed.
  '@aws-sdk/credential-provider-node':
    "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
  // All of undici has its own fetch, WebSocket, caches and test doubles.
  undici: "export { default as Agent } from 'undici/lib/dispatcher/agent.js';",
  // undici's parser for processors without SIMD, which all of Lambda's have.
  '../llhttp/llhttp-wasm.js': 'module.exports = undefined;',
  // HTTP/2, which the transport does not offer.
  './client-h2.js': 'module.exports = undefined;',
  // Bodies of undici's fetch. The transport sends bytes.
  '../web/fetch/body.js': 'module.exports = undefined;',
  // Streams of events, which no operation that we call has. The SDK's core imports them when it needs one, and esbuild leaves
  // out nothing of what such an import reaches.
  '@smithy/core/event-streams':
    'export const resolveEventStreamSerdeConfig = (config) => config; export let EventStreamSerde, eventStreamSerdeProvider;',
  // An import of it loads Node's diagnostic reports.
  'node:process': 'export const { env, versions } = process;',
  // zod's messages in other languages than English are half of its code.
  '../locales/index.js': 'export {};',
};

const replacements: Plugin = {
  name: 'replacements',
  setup: ({ onResolve, onLoad }) => {
    const namespace = 'replacement';
    onResolve(
      {
        filter:
          /^(@aws-sdk\/credential-provider-node|@smithy\/core\/event-streams|node:process|undici|\.\/client-h2\.js|\.\.\/(llhttp\/llhttp-wasm|web\/fetch\/body|locales\/index)\.js)$/,
      },
      (args) => {
        const isOfAnother = args.path.startsWith('.') && !/[\\/](zod|undici)[\\/]/.test(args.importer);
        return isOfAnother
          ? undefined
          : { path: args.path, namespace, pluginData: args.resolveDir, sideEffects: false };
      },
    );
    onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => ({
      contents: REPLACEMENTS[path] ?? '',
      resolveDir: pluginData,
    }));
  },
};

/** esbuild leaves out unused parts of a namespace that is imported as `* as z`, and not of one imported as `{ z }`. */
const zodByParts: Plugin = {
  name: 'zod-by-parts',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/](functions|shared)[\\/].*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace("import { z } from 'zod';", "import * as z from 'zod';"),
      loader: 'ts',
    }));
  },
};

/** Each schema of zod refers to the code that makes a JSON Schema of it. No function makes one. */
const withoutJsonSchemas: Plugin = {
  name: 'without-json-schemas',
  setup: ({ onLoad }) => {
    const filter = /[\\/]zod[\\/]v4[\\/]core[\\/](json-schema-processors|to-json-schema)\.js$/;
    onLoad({ filter }, ({ path }) => {
      const exported = readFileSync(path, 'utf8').matchAll(/^export (?:const|function) (\w+)/gm);
      return { contents: `export let ${Array.from(exported, ([, name]) => name).join()};` };
    });
  },
};

/** Leaves code out of bundles that no function uses: less to download, and to load at a cold start. */
export const smallerBundles: readonly Plugin[] = [replacements, zodByParts, withoutJsonSchemas];
