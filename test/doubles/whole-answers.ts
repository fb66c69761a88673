import type { Transport, TransportRequest, TransportResponse } from '../../shared/marketplace/transport.ts';

/** A transport that receives each answer whole before it is read. */
export function wholeAnswers(send: (request: TransportRequest) => Promise<TransportResponse>): Transport {
  return {
    receive: async (request, read) => {
      const { body, ...head } = await send(request);
      return read({ ...head, body: inOne(body) });
    },
  };
}

async function* inOne(body: Uint8Array): AsyncGenerator<Uint8Array> {
  if (body.length > 0) yield body;
}
