import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../shared/marketplace/errors.ts';
import { keepDocument } from '../../doubles/kept-document.ts';
import { clientAnswering, refusal, STORE } from './fake-transport.ts';

const PDF = Buffer.from('%PDF-1.7\n%%EOF\n');
const PDF_TYPE = { 'content-type': 'application/pdf' };

function labelFrom(headers: Record<string, string>, body: Buffer) {
  return clientAnswering([{ status: 200, headers, body }]).client.generateShippingLabel(
    STORE,
    { orderId: 'o-1' },
    keepDocument,
  );
}

describe('a fetched document', () => {
  it('has its name, type and hash', async () => {
    const headers = {
      ...PDF_TYPE,
      'content-disposition': 'attachment; filename="label-1.pdf"',
      'x-request-id': 'r-1',
    };
    expect(await labelFrom(headers, PDF)).toEqual({
      bytes: PDF,
      contentType: 'application/pdf',
      fileName: 'label-1.pdf',
      sha256: createHash('sha256').update(PDF).digest('hex'),
      requestId: 'r-1',
    });
  });

  it.each([
    ['r'.repeat(200), 'r'.repeat(200)],
    ['r'.repeat(201), undefined],
    ['r-\u2192', undefined],
    ['r 1', undefined],
  ])('has the request ID %j only if it can be kept with it', async (given, requestId) => {
    expect(await labelFrom({ ...PDF_TYPE, 'x-request-id': given }, PDF)).toHaveProperty(
      'requestId',
      requestId,
    );
  });

  it.each([
    ['attachment; filename=label.pdf', 'label.pdf'],
    ['attachment; filename="a \\"b\\".pdf"', 'a "b".pdf'],
    ["attachment; filename=x.pdf; filename*=UTF-8''%E9%9E%8B.pdf", '鞋.pdf'],
    ["attachment; filename=x.pdf; filename*=UTF-8''%E9", 'x.pdf'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename="C:\\\\x\\\\label.pdf"', 'label.pdf'],
    ['attachment', ''],
    [undefined, ''],
  ])('has the name in %j', async (disposition, fileName) => {
    const headers = { ...PDF_TYPE, ...(disposition && { 'content-disposition': disposition }) };
    expect((await labelFrom(headers, PDF)).fileName).toBe(fileName);
  });

  it.each([
    ['of another type', { 'content-type': 'text/html' }, PDF, 'DOCUMENT_NOT_PDF'],
    ['of no type', {}, PDF, 'DOCUMENT_NOT_PDF'],
    ['with other first bytes', PDF_TYPE, Buffer.from('<html></html>'), 'DOCUMENT_NOT_PDF'],
    ['without bytes', PDF_TYPE, Buffer.alloc(0), 'DOCUMENT_EMPTY'],
  ])('is refused with %s', async (_, headers, body, code) => {
    await expect(labelFrom(headers, body)).rejects.toMatchObject({
      code,
      outcome: 'unknown',
      retryable: false,
    });
  });

  it('is refused above 10 MiB', async () => {
    const tooLarge = new TransportError('answerTooLarge', 'more than 10 MiB', { sent: true });
    const { client, sent } = clientAnswering([tooLarge]);
    const call = client.generateInvoice(STORE, { orderId: 'o-1' }, keepDocument);
    await expect(call).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE', outcome: 'unknown' });
    expect(sent[0]?.maxBodyBytes).toBe(10 * 1024 * 1024);
  });

  it('is refused by the marketplace when its order is in another state', async () => {
    const { client } = clientAnswering([
      refusal(409, 'ORDER_021', { orderId: 'o-1', allowedSubstatuses: ['confirmed'] }),
    ]);
    await expect(client.generateInvoice(STORE, { orderId: 'o-1' }, keepDocument)).rejects.toMatchObject({
      code: 'ORDER_021',
      context: { allowedSubstatuses: ['confirmed'] },
    });
  });
});
