import { createHash } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
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

  it.each(['', 'r 1', 'r-é', 'r'.repeat(201)])('has no request ID if that is %j', async (requestId) => {
    const document = await labelFrom({ ...PDF_TYPE, 'x-request-id': requestId }, PDF);
    expect(document.requestId).toBeUndefined();
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
    ['as octets', { 'content-type': 'application/octet-stream' }, PDF],
    ['of no type', {}, PDF],
    ['after a line break', PDF_TYPE, Buffer.from(`\r\n${PDF}`)],
    ['with its header late', PDF_TYPE, Buffer.from(`${' '.repeat(1019)}${PDF}`)],
    ['with line breaks after its end', PDF_TYPE, Buffer.from(`${PDF}${'\n'.repeat(1000)}`)],
  ])('is stored as it came: %s', async (_, headers, body) => {
    expect((await labelFrom(headers, body)).bytes).toEqual(body);
  });

  it.each([
    ['with gzip', gzipSync(PDF), { ...PDF_TYPE, 'content-encoding': 'gzip' }],
    ['with zlib', deflateSync(PDF), { ...PDF_TYPE, 'content-encoding': 'deflate' }],
    ['as a file', gzipSync(PDF), { 'content-type': 'application/gzip' }],
  ])('that is compressed %s is stored unpacked', async (_, packed, headers) => {
    const length = { 'content-length': `${packed.length}` };
    expect((await labelFrom({ ...headers, ...length }, packed)).bytes).toEqual(PDF);
  });

  it('is not unpacked a second time when its transport has left the header', async () => {
    expect((await labelFrom({ ...PDF_TYPE, 'content-encoding': 'gzip' }, PDF)).bytes).toEqual(PDF);
  });

  it('that is an error without a type is that error', async () => {
    const { body } = refusal(409, 'ORDER_021');
    await expect(labelFrom({}, Buffer.from(body))).rejects.toMatchObject({ code: 'ORDER_021' });
  });

  it.each([200, 409])(
    'that is an error under the type of a PDF is that error, with status %i',
    async (status) => {
      const body = Buffer.from(refusal(409, 'ORDER_021').body);
      const { client } = clientAnswering([{ status, headers: PDF_TYPE, body }]);
      const label = client.generateShippingLabel(STORE, { orderId: 'o-1' }, keepDocument);
      await expect(label).rejects.toMatchObject({ code: 'ORDER_021', outcome: 'refused' });
    },
  );

  it.each([
    ['of another type', { 'content-type': 'text/html' }, PDF, 'DOCUMENT_NOT_PDF'],
    ['with other first bytes', PDF_TYPE, Buffer.from('<html></html>'), 'DOCUMENT_NOT_PDF'],
    ['with other bytes and of no type', {}, Buffer.from('<html></html>'), 'DOCUMENT_NOT_PDF'],
    ['with its header too late', PDF_TYPE, Buffer.from(`${' '.repeat(1024)}${PDF}`), 'DOCUMENT_NOT_PDF'],
    ['without an end', PDF_TYPE, Buffer.from(`%PDF-1.7 ${'x'.repeat(1500)}`), 'DOCUMENT_INCOMPLETE'],
    ['with more than its end', PDF_TYPE, Buffer.from(`${PDF}${'x'.repeat(1024)}`), 'DOCUMENT_INCOMPLETE'],
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
