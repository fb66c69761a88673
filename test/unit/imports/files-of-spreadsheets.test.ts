import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { discardImport, releaseImport } from '../../../shared/imports/use-cases/operate-import.ts';
import { beginSecondReading } from '../../../shared/imports/use-cases/read-again.ts';
import { imported, PUT_AT } from './use-cases/put-file.ts';

const ID = '2204d606-4eeb-4078-853d-022bc91229bf';
const content = (name: string) => readFileSync(`${import.meta.dirname}/files/${name}`);
const fileOf = (kind: string, name: string, metadata = {}) =>
  imported({ key: `${kind}/s-1/${name}`, content: content(name), metadata });

/** The value of each SKU that was sent. */
const sentOf = async (kind: string, name: string, field: string, metadata = {}) => {
  const { rows } = await fileOf(kind, name, metadata);
  return Object.fromEntries(rows().map((row) => [row.sku, row[field]]));
};

describe('numbers of stock', () => {
  test('that have one meaning are read, and all others are rejected by line, column and value', async () => {
    const { rows, rejections } = await fileOf('stock', 'stock-number-forms.csv');
    expect(rows().map(({ sku, stock }) => [sku, stock])).toEqual([
      ['xpclhp-6', 5],
      ['xpclhp-9', 5],
      ['xpclhp-11', 7],
      ['xpclhp-21', 7],
    ]);
    expect(rejections()).toHaveLength(21);
    expect(rejections()[0]).toMatchObject({
      code: 'NUMBER_AMBIGUOUS',
      message: expect.stringContaining('"1.000" is ambiguous, 1 or 1000'),
      field: 'stock',
      sku: 'xpclhp-0',
      origin: expect.stringMatching(/#2$/),
    });
    expect(rejections()[4]).toMatchObject({ field: 'stock', message: '"1.5" is not a whole number' });
  });

  test('are read as the file says that it writes them', async () => {
    const german = await imported({
      key: 'stock/s-1/a.csv',
      content: 'sku;stock\na;1.000\nb;5,0\nc;1,5\n',
      metadata: { decimal: ',' },
    });
    expect(german.rows()).toMatchObject([
      { sku: 'a', stock: 1000 },
      { sku: 'b', stock: 5 },
    ]);
    expect(german.rejections()).toMatchObject([{ sku: 'c', field: 'stock' }]);
  });
});

describe('numbers of prices', () => {
  const plain = {
    'xpclhp-4': 12500,
    'xpclhp-6': 12.5,
    'xpclhp-7': 0,
    'xpclhp-9': 0.001,
    'xpclhp-16': 100.1,
    'xpclhp-17': 12,
    'xpclhp-18': 33.333333333333336,
  };

  test('that have one meaning are read, and those that may have another make the file held', async () => {
    const { rows, record } = await fileOf('prices', 'price-number-forms.csv');
    expect(Object.fromEntries(rows().map(({ sku, price }) => [sku, price]))).toEqual(plain);
    expect(record()?.numbers?.hold?.reason).toContain('line 3, price: "Rp 12.500"');
  });

  test('with dots between thousands are not read as decimals', async () => {
    const { rows, record, rejections } = await fileOf('prices', 'thousands-dot-prices.csv');
    expect(rows()).toMatchObject([{ sku: 't-3', price: 850 }]);
    expect(record()?.numbers?.hold).toBeDefined();
    expect(rejections()).toMatchObject([
      { sku: 't-1', message: expect.stringContaining('25 or 25000') },
      { sku: 't-2', message: expect.stringContaining('1250000 in another notation') },
      { sku: 't-4', message: expect.stringContaining('12.5 or 12500') },
    ]);
  });

  test('are read by the notation that the file names, and the file is not held', async () => {
    const expected = { 't-1': 25_000, 't-2': 1_250_000, 't-3': 850, 't-4': 12_500 };
    expect(await sentOf('prices', 'thousands-dot-prices.csv', 'price', { decimal: ',' })).toEqual(expected);
    const dots = { 't-1': 25, 't-3': 850, 't-4': 12.5 };
    expect(await sentOf('prices', 'thousands-dot-prices.csv', 'price', { decimal: '.' })).toEqual(dots);
  });

  test('of a file without a sign of another notation are rejected alone if they have two meanings', async () => {
    const { rows, rejections, record } = await imported({
      key: 'prices/s-1/a.csv',
      content: 'sku,price\na,12.500\nb,12.50\nc,.5\n',
    });
    expect(rows()).toMatchObject([
      { sku: 'b', price: 12.5 },
      { sku: 'c', price: 0.5 },
    ]);
    expect(rejections()).toMatchObject([{ code: 'NUMBER_AMBIGUOUS', sku: 'a' }]);
    expect(record()?.numbers).toBeUndefined();
  });

  test.each([
    [{ decimal: ';' }, 'decimal: must be one of ".", ","'],
    [{ decimal: '.', thousands: '.' }, 'decimal and thousands must differ'],
    [{ thousands: '.' }, 'decimal: must be one of ".", ","'],
    [
      { encoding: 'klingon' },
      'encoding: "klingon" is not known: give its name in the WHATWG\'s encoding standard, such as windows-1252',
    ],
  ] as const)('a file that describes itself by %j is refused', async (metadata, message) => {
    const { record, rows } = await fileOf('prices', 'thousands-dot-prices.csv', metadata);
    expect(record()?.reading?.fault).toMatchObject({ code: 'FILE_HINT_INVALID', message });
    expect(rows()).toEqual([]);
  });
});

describe('a number that is not read is rejected for what is wrong with it', () => {
  test.each([
    ['9007199254740993', '"9007199254740993" has more digits than computers keep of a number'],
    ['123456789.123456789', '"123456789.123456789" has more digits than computers keep of a number'],
    ['9'.repeat(70), `"${'9'.repeat(70)}" has more digits than computers keep of a number`],
    ['-0', '"-0" is 0 with a minus: write 0'],
    [
      '1 999',
      '"1 999" is 1999 in another notation: say how the file writes numbers, by its "decimal" and "thousands"',
    ],
    [
      "1'999.50",
      `"1'999.50" is 1999.5 in another notation: say how the file writes numbers, by its "decimal" and "thousands"`,
    ],
    ['€12', '"€12" is not a number: leave the currency out'],
    ['12500 IDR', '"12500 IDR" is not a number: leave the currency out'],
    ['5 pcs', '"5 pcs" is not a number'],
    ['1/2', '"1/2" is not a number'],
  ])('as %s', async (price, message) => {
    const { rejections, record } = await imported({
      key: 'prices/s-1/a.csv',
      content: `sku;price\na;${price}\n`,
    });
    expect(rejections()).toMatchObject([{ code: 'CELL_INVALID', field: 'price', message }]);
    expect(record()?.numbers?.hold).toBeUndefined();
  });

  test('as one with spaces in a file that has dots between its thousands', async () => {
    const { rejections } = await imported({
      key: 'prices/s-1/a.csv',
      content: 'sku;price\na;1 999,50\n',
      metadata: { decimal: ',' },
    });
    const message = '"1 999,50" is not a number with a comma before decimals and dots between thousands';
    expect(rejections()).toMatchObject([{ code: 'CELL_INVALID', message }]);
  });

  test('and holds a file of prices whose thousands have spaces and decimals a comma', async () => {
    const file = await imported({ key: 'prices/s-1/a.csv', content: 'sku;price\na;1\u00A0999,50\nb;7\n' });
    expect(file.record()?.numbers?.hold?.reason).toContain('is 1999.5 in another notation');
    await beginSecondReading(file.ports.imports, file.importId, { decimal: ',', thousands: 'space' });
    await file.read();
    expect(file.rows().map(({ sku, price }) => [sku, price])).toEqual([
      ['b', 7],
      ['a', 1999.5],
    ]);
  });
});

describe('a file that is held because of its numbers', () => {
  const held = () =>
    imported({
      key: 'prices/s-1/a.csv',
      content: 'sku,price\nt-1,25.000\nt-2,1.250.000\nt-3,850\nt-4,x\nt-5,-1\nt-6\nt-7,12.500\n',
    });

  test('has its other rows read once, when a person says how it writes numbers', async () => {
    const file = await held();
    expect(file.rows()).toMatchObject([{ sku: 't-3', price: 850 }]);
    const again = await beginSecondReading(file.ports.imports, file.importId, { decimal: ',' });
    await file.read();
    expect(again).toMatchObject({ key: 'prices/s-1/a.csv', etag: 'e-1', eventId: 'event-1' });
    expect(file.rows().map(({ sku, price }) => [sku, price])).toEqual([
      ['t-3', 850],
      ['t-1', 25_000],
      ['t-2', 1_250_000],
      ['t-7', 12_500],
    ]);
    expect(new Set(file.messages()).size).toBe(2);
    expect(file.record()?.reading).toMatchObject({
      rows: 7,
      sent: 4,
      rejected: { CELL_INVALID: 1, ROW_INVALID: 1, ROW_CELLS: 1 },
      commands: 2,
    });
    expect(file.report()).toHaveLength(3);
    expect(file.record()?.numbers?.hold).toBeUndefined();
  });

  test('has no rejection any more of a row that its second reading has taken, or has rejected for another reason', async () => {
    const file = await imported({
      key: 'prices/s-1/a.csv',
      content: 'sku,price,specialPrice\na,1.250.000,\nb,12.500,12.600\nc,x,\n',
    });
    expect(file.rejections().map(({ sku, code }) => [sku, code])).toEqual([
      ['a', 'CELL_INVALID'],
      ['b', 'NUMBER_AMBIGUOUS'],
      ['c', 'CELL_INVALID'],
    ]);
    await beginSecondReading(file.ports.imports, file.importId, { decimal: ',' });
    await file.read();
    expect(file.rows()).toMatchObject([{ sku: 'a', price: 1_250_000 }]);
    expect(file.rejections().map(({ sku, code }) => [sku, code])).toEqual([
      ['c', 'CELL_INVALID'],
      ['b', 'ROW_INVALID'],
    ]);
  });

  test('is read for a second time once, however often it is released', async () => {
    const file = await held();
    await beginSecondReading(file.ports.imports, file.importId, { decimal: ',' });
    await file.read();
    expect(await beginSecondReading(file.ports.imports, file.importId, { decimal: '.' })).toBeUndefined();
    expect(file.record()?.reading).toMatchObject({ sent: 4 });
  });

  test('is released by its decimal only, and discarded as it is', async () => {
    const { ports, importId, record } = await held();
    const released: unknown[] = [];
    const operate = {
      ...ports,
      importQueue: { send: async (message: unknown) => void released.push(message) },
    };
    await expect(releaseImport(operate, importId)).rejects.toMatchObject({ code: 'DECIMAL_REQUIRED' });
    await releaseImport(operate, importId, { decimal: ',' });
    expect(released).toEqual([{ importId, isReleased: true, notation: { decimal: ',' } }]);
    await discardImport(operate, importId);
    await discardImport(operate, importId);
    expect(record()?.numbers).toEqual({ isDiscarded: true });
    await expect(releaseImport(operate, importId)).rejects.toMatchObject({ code: 'IMPORT_NOT_HELD' });
  });
});

test('times with an offset and epoch milliseconds are read, and others are rejected with what they look like', async () => {
  const { rows, rejections } = await fileOf('stock', 'occurredAt-forms.csv');
  expect(rows().map(({ sku, occurredAt }) => [sku, occurredAt])).toEqual([
    ['gkkhnw-34', '2026-11-26T17:10:00.000Z'],
    ['gkkhnw-43', '2026-11-27T00:20:00.000Z'],
    ['gkkhnw-38', '2026-11-27T00:34:48.784Z'],
  ]);
  const message = (sku: string) => rejections().find((one) => one.sku === sku)?.message;
  expect(message('gkkhnw-35')).toContain('days of a spreadsheet');
  expect(message('gkkhnw-36')).toContain('days of a spreadsheet');
  expect(message('gkkhnw-37')).toContain('seconds');
  expect(message('gkkhnw-39')).toContain('yyyymmdd');
  expect(rejections()).toHaveLength(11);
});

describe('a file that is no text in UTF-8', () => {
  test('in Windows-1252 is refused whole, with line, byte and the encoding that fits', async () => {
    const { rows, record } = await fileOf('catalog', 'windows-1252.csv');
    expect(rows()).toEqual([]);
    expect(record()?.reading?.fault).toMatchObject({
      code: 'FILE_NOT_UTF8',
      message: expect.stringContaining('line 3, byte 136 of the file. It fits Windows-1252'),
      details: { line: 3, byte: 136, encodings: ['windows-1252'] },
    });
  });

  test.each([
    ['windows-1252', 'NESTL\u00c9. KitKat', Buffer.from('NESTL\xc9. KitKat', 'latin1')],
    ['shift_jis', '\u30c6\u30ec\u30d3', Buffer.from('\x83\x65\x83\x8c\x83\x72', 'latin1')],
    ['gbk', '\u4f60\u597d', Buffer.from('\xc4\xe3\xba\xc3', 'latin1')],
    [
      'windows-1251',
      '\u043f\u0440\u0438\u0432\u0435\u0442',
      Buffer.from('\xef\xf0\xe8\xe2\xe5\xf2', 'latin1'),
    ],
    ['utf-16le', 'caf\u00e9', Buffer.from('caf\u00e9', 'utf16le')],
  ])('in %s is named so, and read when it names its encoding', async (encoding, name, encoded) => {
    const id = '2204d606-4eeb-4078-853d-022bc91229bf';
    const around = (text: string) => Buffer.from(text, encoding === 'utf-16le' ? 'utf16le' : 'latin1');
    const file = Buffer.concat([around(`externalId,name\n${id},`), encoded, around('\n')]);
    for (const [key, bytes] of [
      ['catalog/s-1/a.csv', file],
      ['catalog/s-1/a.csv.gz', gzipSync(file)],
    ] as const) {
      const refused = await imported({ key, content: bytes });
      expect(refused.record()?.reading?.fault?.details).toMatchObject({
        encodings: expect.arrayContaining([encoding]),
      });
      expect(refused.rows()).toEqual([]);
      const read = await imported({ key, content: bytes, metadata: { encoding } });
      expect(read.rows()).toMatchObject([{ externalId: id, name }]);
    }
  });

  test.each([
    ['macintosh', 'Caf\x8e', 'Caf\u00e9'],
    ['macintosh', 'don\xd5t', 'don\u2019t'],
    ['windows-1252', 'don\x92t', 'don\u2019t'],
    ['windows-1252', 'M\xfcller', 'M\u00fcller'],
  ])('is named as %s by %j, and read as %j', async (encoding, written, name) => {
    const content = Buffer.from(`externalId,name\n${ID},${written}\n`, 'latin1');
    const refused = await imported({ key: 'catalog/s-1/a.csv', content });
    expect(refused.record()?.reading?.fault?.details).toMatchObject({ encodings: [encoding] });
    const read = await imported({ key: 'catalog/s-1/a.csv', content, metadata: { encoding } });
    expect(read.rows()).toMatchObject([{ name }]);
  });

  test('is not named as Windows-1252, in which each byte fits, if its letters are those of another language', async () => {
    const content = Buffer.from(`externalId,name\n${ID},\xbf\xf3\xb3ty bia\xb3y\n`, 'latin1');
    const { record } = await imported({ key: 'catalog/s-1/a.csv', content });
    expect(record()?.reading?.fault).toMatchObject({
      message: expect.not.stringContaining('Windows-1252'),
      details: { encodings: [] },
    });
  });

  test.each(['windows-1252', 'macintosh'])(
    'is refused if it names %s and is UTF-8: each byte fits by chance',
    async (encoding) => {
      const names = ['Caf\u00e9 cr\u00e8me', 'M\u00fcller', '\u00c9clair'];
      const content = names.map((name) => JSON.stringify({ externalId: ID, name })).join('\n');
      for (const start of ['', '\uFEFF']) {
        const { rows, record } = await imported({
          key: 'catalog/s-1/a.ndjson',
          content: `${start}${content}`,
          metadata: { encoding },
        });
        expect(rows()).toEqual([]);
        expect(record()?.reading?.fault).toMatchObject({
          code: 'FILE_NOT_ENCODED',
          message: expect.stringContaining('UTF-8'),
        });
      }
    },
  );

  test.each([
    ['stock', 'utf16le-nobom.csv', 'FILE_NOT_UTF8', 'UTF-16'],
    ['stock', 'zip-renamed.csv', 'FILE_NOT_TEXT', 'zip archive'],
  ])('%s/%s is named as what it is', async (kind, name, code, what) => {
    const { record, rows } = await fileOf(kind, name);
    expect(record()?.reading?.fault).toMatchObject({ code, message: expect.stringContaining(what) });
    expect(rows()).toEqual([]);
  });

  test.each([
    [Buffer.from('PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0[Content_Types].xml'), 'an Excel workbook'],
    [Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1'), 'an old Excel workbook'],
    [Buffer.from('<!DOCTYPE html><html>'), 'a page of HTML'],
    [Buffer.from('%PDF-1.7'), 'a PDF'],
    [Buffer.from('BZh91AY&SY'), 'compressed with bzip2'],
    [Buffer.from('\xfd7zXZ\0', 'latin1'), 'compressed with xz'],
    [Buffer.from('\x28\xb5\x2f\xfd', 'latin1'), 'compressed with zstd'],
    [Buffer.from(`${'stock.csv'.padEnd(257, '\0')}ustar`), 'a tar archive'],
  ])('%s is named as %s', async (bytes, what) => {
    const { record } = await imported({ key: 'stock/s-1/a.csv', content: bytes });
    expect(record()?.reading?.fault).toMatchObject({
      code: 'FILE_NOT_TEXT',
      message: expect.stringContaining(what),
    });
  });

  test('is named as what it is also if it names its encoding', async () => {
    const content = Buffer.from('PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0[Content_Types].xml');
    const { record } = await imported({
      key: 'stock/s-1/a.csv',
      content,
      metadata: { encoding: 'windows-1252' },
    });
    expect(record()?.reading?.fault).toMatchObject({ code: 'FILE_NOT_TEXT' });
  });

  test('is refused as compressed twice if it is', async () => {
    const content = gzipSync(gzipSync('sku,stock\na,5\n'));
    const { record } = await imported({ key: 'stock/s-1/a.csv.gz', content });
    const message = 'the file is compressed with gzip twice: compress it once';
    expect(record()?.reading?.fault).toMatchObject({ code: 'FILE_NOT_UTF8', message });
  });

  test.each(['{"sku":"a","stock":5}\n', ' [{"sku":"a","stock":5}]'])(
    'is refused as JSON if it is %j',
    async (content) => {
      const { record } = await imported({ key: 'stock/s-1/a.csv', content });
      const message = 'the file is JSON: its name must end in .json, or in .ndjson with a row on each line';
      expect(record()?.reading?.fault).toMatchObject({ code: 'FILE_NOT_CSV', message });
    },
  );

  test('with one bad row far behind is refused before one row of it is sent', async () => {
    const good = `sku,stock\n${'a,1\n'.repeat(50_000)}`;
    const { record, rows } = await imported({
      key: 'stock/s-1/a.csv',
      content: Buffer.concat([Buffer.from(good), Buffer.from('caf\xe9,1\n', 'latin1')]),
    });
    expect(record()?.reading?.fault?.details).toMatchObject({ line: 50_002, byte: good.length + 4 });
    expect(rows()).toEqual([]);
  });
});

test.each([
  ['quoted-semicolons.csv', 'q-1'],
  ['excel-sep-line.csv', 'omscws-11'],
  ['tab.csv', 'omscws-13'],
  ['header-case.csv', 'omscws-17'],
  ['trailing-empty-columns.csv', 'omscws-19'],
  ['empty-trailing-rows.csv', 'omscws-21'],
])('%s is read, and nothing of it is rejected', async (name, sku) => {
  const { rows, rejections } = await fileOf('stock', name);
  expect(rows()).toEqual([{ sku, stock: 5, occurredAt: new Date(PUT_AT).toISOString() }]);
  expect(rejections()).toEqual([]);
});

test('a file that names a SKU twice says so', async () => {
  const { rows, record } = await fileOf('stock', 'duplicate-sku.csv');
  expect(rows()).toHaveLength(2);
  expect(record()?.reading?.warnings).toMatchObject([{ code: 'SKU_REPEATED', rows: 1, numbers: [3] }]);
});

test('a SKU that differs from another one by white space only is sent as given, with a warning', async () => {
  const { rows, record } = await imported({
    key: 'stock/s-1/a.csv',
    content: 'sku,stock\n"W-1 ",5\n W-1 ,7\nW\u200b-1,9\n',
  });
  expect(rows().map(({ sku }) => sku)).toEqual(['W-1 ', 'W-1', 'W\u200b-1']);
  expect(record()?.reading?.warnings).toMatchObject([{ code: 'SKU_WHITE_SPACE', rows: 2, numbers: [2, 4] }]);
});

test('lists are separated by commas or bars, and no URL holds two', async () => {
  const { rows, rejections } = await fileOf('catalog', 'lists-by-comma.csv');
  expect(rows()).toMatchObject([
    {
      sku: 'kvdmpt-h1',
      hashtags: ['Anchor', 'Gold', 'Leather', 'Silver'],
      photos: ['https://a.example/1.jpg', 'https://a.example/2.jpg'],
    },
    {
      sku: 'kvdmpt-h2',
      hashtags: ['Anchor', 'Gold'],
      photos: ['https://a.example/1.jpg', 'https://a.example/2.jpg'],
    },
  ]);
  expect(rejections().map(({ sku, field }) => [sku, field])).toEqual([
    ['kvdmpt-h3', 'hashtags'],
    ['kvdmpt-h4', 'photos.0'],
    ['kvdmpt-h5', 'photos.0'],
  ]);
});

test.each([
  'https://a.example/1.jpg;https://a.example/2.jpg',
  'https://a.example/1.jpghttps://a.example/2.jpg',
  'https://a.example/1.jpg?v=1,https://a.example/2.jpg',
  'https://a.example/with space.jpg',
])('%j is no URL of a photo, in any format', async (photo) => {
  const product = { externalId: '2204d606-4eeb-4078-853d-022bc91229bf', name: 'a', photos: [photo] };
  const { rejections } = await imported({ key: 'catalog/s-1/a.ndjson', content: JSON.stringify(product) });
  expect(rejections()).toMatchObject([{ code: 'ROW_INVALID', field: 'photos.0' }]);
});

test('a URL may have another one in its query', async () => {
  const photo = 'https://cdn.example/resize?url=https://a.example/1.jpg';
  const product = { externalId: '2204d606-4eeb-4078-853d-022bc91229bf', name: 'a', photos: [photo] };
  const { rows } = await imported({ key: 'catalog/s-1/a.ndjson', content: JSON.stringify(product) });
  expect(rows()).toHaveLength(1);
});

test('SKUs are as written, and what a spreadsheet made of one is rejected', async () => {
  const { rows, rejections } = await fileOf('catalog', 'sku-forms.csv');
  expect(rows().map(({ sku }) => sku)).toEqual(['00123', '0899999000017', 'null']);
  expect(rejections()).toMatchObject([
    { field: 'sku', message: expect.stringContaining('"8.99E+12" is what a spreadsheet made') },
    { field: 'sku', message: expect.stringContaining('"=A1" is a formula') },
  ]);
});

test('a product of a file has a name, and a price unless the file has no prices', async () => {
  const { rows, rejections } = await fileOf('catalog', 'empty-fields.csv');
  expect(rows().map(({ name }) => name)).toEqual(['NoSku', 'NoStock', 'Upper']);
  expect(rejections().map(({ field, code }) => [field, code])).toEqual([
    ['name', 'CELL_EMPTY'],
    ['price', 'CELL_EMPTY'],
    ['externalId', 'ROW_INVALID'],
    ['externalId', 'ROW_INVALID'],
    ['externalId', 'ROW_INVALID'],
  ]);
  const nameless = await imported({
    key: 'catalog/s-1/a.ndjson',
    content: '{"externalId":"2204d606-4eeb-4078-853d-022bc91229bf","sku":"a"}',
  });
  expect(nameless.rejections()).toMatchObject([{ field: 'name' }]);
});

test.each([
  ['0', 'SPECIAL_PRICE_ZERO'],
  ['11', 'SPECIAL_PRICE_ABOVE'],
])('a special price of %s for a price of 10 is rejected', async (special, rule) => {
  const { rejections, rows } = await imported({
    key: 'prices/s-1/a.csv',
    content: `sku,price,specialPrice\na,10,${special}\nb,10,10\nc,10,null\n`,
  });
  expect(rejections()).toMatchObject([{ sku: 'a', details: { problems: [{ rule }] } }]);
  expect(rows()).toHaveLength(2);
});

test('every rejected row is in the report with its values, or as it was written', async () => {
  const { report } = await imported({
    key: 'stock/s-1/a.csv',
    content: 'sku,stock\na,1,000\nb,x\nc,"1\nd,5\n',
  });
  expect(report()).toMatchObject([
    { _rejection: { number: 2, code: 'ROW_CELLS', text: 'a,1,000' } },
    { sku: 'b', stock: 'x', _rejection: { number: 3, code: 'CELL_INVALID', field: 'stock' } },
    { _rejection: { number: 4, code: 'ROW_NOT_CSV', text: 'c,"1' } },
  ]);
});

test('numbers are read as the store says where the file says nothing', async () => {
  const file = { key: 'prices/s-1/a.csv', content: 'sku,price\na,12.500\n' };
  const store = { numbers: { decimal: ',' } } as const;
  const byStore = await imported({ ...file, store });
  expect(byStore.rows()).toMatchObject([{ sku: 'a', price: 12_500 }]);
  const byFile = await imported({ ...file, store, metadata: { decimal: '.' } });
  expect(byFile.rows()).toMatchObject([{ sku: 'a', price: 12.5 }]);
});

test.each([
  ['a', '', 'wh-1:5,wh-2:7'],
  ['b', '', 'wh-1:5;wh-2:7'],
  ['c', '', 'wh-1:5 wh-2:7'],
  ['d', '', 'wh-1:5\nwh-2:7'],
  ['e', 5, 'wh-1,wh-2'],
  ['f', 5, 'wh-1;wh-2'],
  ['g', '', 'wh-1:5/wh-2:7'],
  ['h', 5, '[wh-1]'],
  ['i', '', '{""wh-1"":5}'],
  ['j', '', 'wh-1:'],
])(
  'warehouses of row %s, stock %j, that are not separated by | are rejected: %j',
  async (sku, stock, warehouses) => {
    const { rows, rejections } = await imported({
      key: 'stock/s-1/a.csv',
      content: `sku,stock,warehouses\n${sku},${stock},"${warehouses}"\nz,5,wh-1|wh-2\n`,
    });
    expect(rows()).toMatchObject([{ sku: 'z', warehouses: ['wh-1', 'wh-2'] }]);
    expect(rejections()).toMatchObject([{ sku, code: 'CELL_INVALID', field: 'warehouses' }]);
  },
);

test.each([
  ['name', '#N/A'],
  ['name', '########'],
  ['description', '#REF!'],
  ['condition', '#VALUE!'],
  ['hashtags', 'a|#NAME?'],
  ['hashtags', '#a #b'],
  ['hashtags', 'a\nb'],
  ['hashtags', '[""a"",""b""]'],
  ['hashtags', '{a,b}'],
  ['hashtags', 'a\uFF0Cb'],
  ['sku', '#####'],
  ['sku', '8991234567890.00'],
  ['sku', '2026-01-05 00:00:00'],
  ['sku', "'00123"],
  ['name', '=+$B$2'],
  ['description', '=""00123""'],
  ['condition', '=IF(A1,B1)'],
  ['sku', '8991234567890.0'],
  ['name', 'NULL'],
  ['description', '\\N'],
  ['hashtags', 'null'],
])(
  'a %s of %j, which a program shows in place of a value or of a list, is rejected',
  async (column, text) => {
    const columns = ['externalId', 'name', 'description', 'condition', 'hashtags', 'sku'];
    const cells = columns.map((name) => (name === column ? `"${text}"` : name === 'externalId' ? ID : 'x'));
    const { rows, rejections } = await imported({
      key: 'catalog/s-1/a.csv',
      content: `${columns}\n${cells}\n`,
    });
    expect(rows()).toEqual([]);
    expect(rejections()).toMatchObject([{ code: 'CELL_INVALID', field: column }]);
  },
);

test('what a spreadsheet made of a SKU is rejected in JSON too: a report of rejected rows that no one corrected has it', async () => {
  const first = await imported({ key: 'stock/s-1/a.csv', content: 'sku,stock\n8.99E+12,5\n#N/A,6\n=A1,7\n' });
  expect(first.report()).toHaveLength(3);
  const lines = first.report().map((row) => JSON.stringify(row));
  const again = await imported({ key: 'stock/s-1/a.ndjson', content: lines.join('\n') });
  expect(again.rows()).toEqual([]);
  expect(again.rejections()).toMatchObject(Array(3).fill({ code: 'ROW_INVALID', field: 'sku' }));
});

test('a character that is not seen is shown as an escape in what is wrong with its cell, and in the warning of its SKU', async () => {
  const { rejections, record } = await imported({
    key: 'stock/s-1/a.csv',
    content: 'sku,stock\na,5\u200B\nW\u200B-1,7\n',
  });
  expect(rejections()).toMatchObject([{ message: '"5\\u200b" is not a whole number' }]);
  expect(record()?.reading?.warnings?.[0]?.message).toContain('"W\\u200b-1" has');
});

test.each([
  ['sku,stock,occurredAt\na,5,\nb,5,2026-11-26T00:00:00Z\n', 'occurredAt'],
  ['sku,stock,version\na,5,\nb,5,7\n', 'version'],
  ['sku,stock,occurredAt,version\na,5,,\nb,5,,7\n', 'occurredAt'],
])(
  'a row of %j without its version is rejected: the time of the put would make it the newest one',
  async (content, field) => {
    const { rows, rejections } = await imported({ key: 'stock/s-1/a.csv', content });
    expect(rows().map(({ sku }) => sku)).toEqual(['b']);
    expect(rejections()).toMatchObject([{ sku: 'a', code: 'CELL_EMPTY', field }]);
  },
);

test.each(['csv', 'ndjson'])(
  'a letter that an earlier program lost is rejected in a text of a %s file, as in a call',
  async (type) => {
    const rows = [
      { externalId: ID, name: 'Caf\uFFFD', sku: 'a' },
      { externalId: ID, name: 'x', sku: '\uFFFD-1' },
    ];
    const csv = ['externalId,name,sku', ...rows.map((row) => Object.values(row).join())].join('\n');
    const content = type === 'csv' ? csv : rows.map((row) => JSON.stringify(row)).join('\n');
    const file = await imported({ key: `catalog/s-1/a.${type}`, content });
    expect(file.rows()).toEqual([]);
    expect(file.rejections().map(({ field }) => field)).toEqual(['name', 'sku']);
  },
);

test('no row of an uncorrected report is taken when the report is put as a file', async () => {
  const catalog = [
    'externalId,name,description,condition,sku,price,hashtags',
    ...[
      ',x,x,x,1,',
      'x,#N/A,x,x,1,',
      'x,x,NULL,x,1,',
      'x,x,x,8.99E+12,1,',
      'x,x,x,x,12.500,',
      'x,x,x,x,,',
      'x,x,x,x,1,a;b',
    ].map((cells) => `${ID},${cells}`),
  ].join('\n');
  const stock =
    'sku,stock,occurredAt,warehouses\na,5,,\nb,1.000,2026-11-26T00:00:00Z,\nc,,2026-11-26T00:00:00Z,"w:1,v:2"\nd,5,0,\n';
  for (const [kind, content, count] of [
    ['catalog', catalog, 7],
    ['stock', stock, 4],
  ] as const) {
    const first = await imported({ key: `${kind}/s-1/a.csv`, content });
    expect(first.rows()).toEqual([]);
    expect(first.report()).toHaveLength(count);
    const lines = first.report().map((row) => JSON.stringify(row));
    const again = await imported({ key: `${kind}/s-1/a.ndjson`, content: lines.join('\n') });
    expect(again.rows()).toEqual([]);
  }
});

test('a SKU of digits may have a point in it', async () => {
  const { rows } = await imported({
    key: 'stock/s-1/a.csv',
    content: 'sku,stock\n10.0,1\n2024.0,2\n12345.01,3\n1.23456.0,4\n',
  });
  expect(rows()).toHaveLength(4);
});

test('a SKU with separate accents is sent as given, with a warning, as it looks like the one without', async () => {
  const { rows, record } = await imported({
    key: 'stock/s-1/a.csv',
    content: 'sku,stock\ncaf\u00E9,5\ncafe\u0301,7\n',
  });
  expect(rows().map(({ sku }) => sku)).toEqual(['caf\u00E9', 'cafe\u0301']);
  expect(record()?.reading?.warnings).toMatchObject([
    { code: 'SKU_WHITE_SPACE', message: expect.stringContaining('than "caf\u00E9"'), numbers: [3] },
  ]);
});

test('a row of JSON with a member twice is rejected alone, in any kind of file', async () => {
  const lines = ['{"sku":"a","stock":5,"stock":0}', '{"sku":"b","stock":1}'];
  for (const [name, content] of [
    ['a.ndjson', lines.join('\n')],
    ['a.json', `[${lines}]`],
  ]) {
    const { rows, rejections } = await imported({ key: `stock/s-1/${name}`, content: content ?? '' });
    expect(rows()).toMatchObject([{ sku: 'b', stock: 1 }]);
    expect(rejections()).toMatchObject([
      { code: 'ROW_NOT_JSON', message: expect.stringContaining('stock is given twice') },
    ]);
  }
});

test.each([
  '{"occurredAt":"2026-01-01T00:00:00Z","items":[{"sku":"a","stock":5}]}',
  '{"items":[{"sku":"a","stock":5}],"occurredAt":"2026-01-01T00:00:00Z","storeClientId":"s-1"}\n',
  '\uFEFF{ "items" : [ {"sku":"a","stock":5} ] ,\n "note" : "a, \\"b\\" ]" , "version" : 7 }',
])('no row of %j is sent, as its version would be that of the put', async (content) => {
  const { rows, record } = await imported({ key: 'stock/s-1/a.json', content });
  expect(rows()).toEqual([]);
  expect(record()?.reading?.fault).toMatchObject({ code: 'FILE_NOT_JSON' });
});

test.each(['Full/a.csv', 'FULL/a.csv', '2026/full/a.csv'])(
  'a file under %s of its store is refused: it would be taken for one that leaves the rest as it is',
  async (name) => {
    const { rows, record } = await imported({ key: `stock/s-1/${name}`, content: 'sku,stock\na,1\n' });
    expect(rows()).toEqual([]);
    expect(record()?.reading?.fault).toMatchObject({
      code: 'FILE_KEY_INVALID',
      message: expect.stringContaining('full/'),
    });
  },
);

test('a file with dry-run/ behind its store is refused, and no row of it is sent', async () => {
  const { rows, record } = await imported({ key: 'stock/s-1/dry-run/a.csv', content: 'sku,stock\na,1\n' });
  expect(rows()).toEqual([]);
  expect(record()?.reading?.fault).toMatchObject({ code: 'FILE_KEY_INVALID' });
});

test('a row that is the header, as between files that were joined, is no product', async () => {
  const { rows, rejections } = await imported({
    key: 'stock/s-1/a.csv',
    content: 'sku,stock\na,5\n\uFEFFSKU,Stock,\nb,6\n',
  });
  expect(rows().map(({ sku, stock }) => [sku, stock])).toEqual([
    ['a', 5],
    ['b', 6],
  ]);
  expect(rejections()).toMatchObject([
    { code: 'ROW_NOT_CSV', message: 'the row is the header again', origin: expect.stringMatching(/#3$/) },
  ]);
});

test.each([
  ['stock/s-1/a.csv', 'sku,stock\na,5\nstock,sku\n7,8\n', 'line 3 is another header (stock, sku)'],
  [
    'catalog/s-1/a.csv',
    `externalId,name,description,price\n${ID},a,b,5\nexternalId,description,name,price\n${ID.replace('2', '3')},b,a,5\n`,
    'line 3 is another header (externalId, description, name, price)',
  ],
])(
  'rows of %s behind a header with other columns are not read by those of the first one',
  async (key, content, message) => {
    const { rows, record } = await imported({ key, content });
    expect(rows()).toHaveLength(1);
    expect(record()?.reading?.fault).toMatchObject({
      code: 'FILE_NOT_CSV',
      message: `${message}: put what is behind it as a file of its own`,
    });
  },
);

test('rows between a quote that has no end and the next one are not taken for a text of the first of them', async () => {
  const [a, b, c] = [1, 2, 3].map((n) => ID.replace('2', `${n}`));
  const catalog = await imported({
    key: 'catalog/s-1/a.csv',
    content: `externalId,name,price\n${a},"big shelf,5\n${b},shelf 12",6\n${c},"two\nlines",7\n`,
  });
  expect(catalog.rows().map(({ name, price }) => [name, price])).toEqual([
    ['shelf 12"', 6],
    ['two\nlines', 7],
  ]);
  expect(catalog.rejections()).toMatchObject([{ code: 'ROW_NOT_CSV', origin: expect.stringMatching(/#2$/) }]);
  const stock = await imported({ key: 'stock/s-1/a.csv', content: 'sku,stock\n"a,5\nb,6\nc",7\nd,8\n' });
  expect(stock.rows()).toMatchObject([{ sku: 'd', stock: 8 }]);
  expect(stock.rejections()).toMatchObject([
    {
      code: 'CELL_INVALID',
      field: 'sku',
      message: '"a,5\\nb,6\\nc" has a line break: a quote before it may have no end',
    },
  ]);
});

test('what is wrong with the JSON of a row has the place in the row, and no other line than its own', async () => {
  const { rejections } = await imported({
    key: 'stock/s-1/a.ndjson',
    content: '{"sku":"a","stock":1}\n{"sku":"b","stock":2},\n',
  });
  const message = 'the row is not valid JSON: Unexpected non-whitespace character after JSON at position 21';
  expect(rejections()).toMatchObject([{ message, origin: expect.stringMatching(/#2$/) }]);
});

test('a product whose variants are null does not end the reading of its file', async () => {
  const row = (id: string, more: object) => JSON.stringify({ externalId: id, name: 'x', price: 5, ...more });
  const { rows, rejections } = await imported({
    key: 'catalog/s-1/a.ndjson',
    content: [row(ID, { variants: null }), row(ID.replace('2', '3'), { sku: 'B' })].join('\n'),
  });
  expect(rows()).toMatchObject([{ externalId: ID }, { sku: 'B' }]);
  expect(rejections()).toEqual([]);
});
