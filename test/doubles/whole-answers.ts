import type { Transport } from '../../shared/marketplace/transport.ts';

/** A transport that has each answer whole before anybody reads it. */
export function wholeAnswers(send: Transport['send']): Transport {
  return {
    send,
    receive: async (request, read) => {
      const { body, ...head } = await send(request);
      return read({ ...head, body: inOne(body) });
    },
  };
}

async function* inOne(body: Uint8Array): AsyncGenerator<Uint8Array> {
  if (body.length > 0) yield body;
}
