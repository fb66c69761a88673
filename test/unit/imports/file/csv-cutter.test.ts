import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRows } from '../../../../shared/imports/file/read-rows.ts';
import { fileKinds } from '../../../../shared/imports/rules/file-kinds.ts';
import { numbers, products, readFile, tooLong } from './read-file.ts';

describe('a CSV catalog', () => {
  const csv = (file: string, pieceBytes?: number) => readFile(file, { format: 'csv' }, pieceBytes);

  test('has columns that become fields of their type', async () => {
    const file = [
      'externalId,name,sku,price,specialPrice,dimensions.length,dimensions.width,hashtags,photos,isPreorder,warehouses',
      '1,"Kaos, ""M""",A-1,10.5,null,1,2.5,a|b, https://a.example/1 | https://a.example/2 ,TRUE,wh-1:5|wh:2:7',
    ].join('\r\n');
    for (const pieceBytes of [1, 7, 1000]) {
      expect(products(await csv(file, pieceBytes))).toEqual([
        {
          externalId: '1',
          name: 'Kaos, "M"',
          sku: 'A-1',
          price: 10.5,
          specialPrice: null,
          dimensions: { length: 1, width: 2.5 },
          hashtags: ['a', 'b'],
          photos: ['https://a.example/1', 'https://a.example/2'],
          isPreorder: true,
          warehouses: [
            { clientId: 'wh-1', stock: 5 },
            { clientId: 'wh:2', stock: 7 },
          ],
        },
      ]);
    }
  });

  test('leaves out the field of an empty cell', async () => {
    expect(products(await csv('sku,weight,stock\nA,,0\n'))).toEqual([{ sku: 'A', stock: 0 }]);
  });

  test('may have a quoted cell over several lines, and numbers a row by its first line', async () => {
    const rows = await csv('sku,description\nA,"one\ntwo"\n\nB,12" wide\n');
    expect(products(rows)).toEqual([
      { sku: 'A', description: 'one\ntwo' },
      { sku: 'B', description: '12" wide' },
    ]);
    expect(numbers(rows)).toEqual([2, 5]);
  });

  test.each([
    ['price', 'ten'],
    ['price', '1e3'],
    ['isArchived', 'yes'],
    ['isArchived', 'constructor'],
    ['warehouses', 'wh-1'],
    ['warehouses', 'wh-1:5|:3'],
    ['warehouses', 'wh-1:x'],
    ['warehouses', 'wh-1:5|12'],
  ])('reports a %s of %j with its column and reads on', async (column, cell) => {
    const rows = await csv(`sku,${column},name\nA,${cell},a\nB,${column === 'price' ? 1 : ''},b\n`);
    expect(rows[0]).toMatchObject({ number: 2, fault: { code: 'CELL_INVALID', field: column } });
    expect(products(rows.slice(1))).toMatchObject([{ sku: 'B', name: 'b' }]);
  });

  test('reports a row with more or fewer cells than the header and reads on', async () => {
    expect(products(await csv('sku,stock\nA\nB,1,2\nC,3\n'))).toEqual([
      'ROW_CELLS',
      'ROW_CELLS',
      { sku: 'C', stock: 3 },
    ]);
    expect(products(await csv('sku,stock\n" "\nC,3\n'))).toEqual(['ROW_CELLS', { sku: 'C', stock: 3 }]);
  });

  test('reports a row in which a decimal comma made one cell more, and the last one is empty', async () => {
    const rows = await csv(
      'sku,price,specialPrice\nA,199,99,\nB,"199,99",,\nC,200,150\nD,200,,\n00123,5,,\n',
    );
    expect(rows.slice(0, 1)).toMatchObject([{ number: 2, fault: { code: 'ROW_CELLS' } }]);
    expect(products(rows.slice(2))).toEqual([
      { sku: 'C', price: 200, specialPrice: 150 },
      { sku: 'D', price: 200 },
      { sku: '00123', price: 5 },
    ]);
  });

  test.each([
    ['ends with as many empty cells as its rows', 'sku,price,specialPrice,\nA,199,99,\n'],
    ['has semicolons', 'sku;price;specialPrice\nA;199;99;\n'],
    ['is quoted', 'sku,price,specialPrice\n"A","199","99",\n'],
  ])('is read with empty cells behind two numbers if its header %s', async (_, file) => {
    expect(products(await csv(file))).toEqual([{ sku: 'A', price: 199, specialPrice: 99 }]);
  });

  test('is refused with an unknown column', async () => {
    await expect(csv('sku,colour\nA,red\n')).rejects.toMatchObject({
      code: 'FILE_COLUMNS_UNKNOWN',
      message: expect.stringContaining('"colour"'),
      details: { columns: expect.arrayContaining(['externalId', 'sku', 'warehouses']) },
    });
  });

  test.each([
    ['is never closed', 'B,"b'],
    ['closes before the end of its cell', 'B,"b" x'],
    ['opens a cell that only one quote in it ends', 'B,"12" shelf, wide"'],
    ['stands alone', '"'],
  ])('reports a row with a quote that %s and reads on', async (_, row) => {
    for (const more of ['', 'D,"d"\n', `D,${'d'.repeat(100_000)}\n`.repeat(5)]) {
      const rows = await csv(`sku,name\nA,a\n${row}\nC,12" wide\n${more}`);
      expect(products(rows.slice(0, 3))).toEqual([
        { sku: 'A', name: 'a' },
        'ROW_NOT_CSV',
        { sku: 'C', name: '12" wide' },
      ]);
      expect(numbers(rows.slice(0, 3))).toEqual([2, 3, 4]);
      expect(rows).toHaveLength(3 + more.split('\n').length - 1);
    }
  });

  test('continues at the second line of a cell whose quotes do not match', async () => {
    const rows = await csv('sku,name\nA,"a\nB,b\nC,"c"\n');
    expect(products(rows)).toEqual(['ROW_NOT_CSV', { sku: 'B', name: 'b' }, { sku: 'C', name: 'c' }]);
  });

  test('reports a row that is too long and reads on', async () => {
    const file = `sku,name\r\nA,${tooLong}\r\nB,"${tooLong}"\r\nC,${tooLong.repeat(3)}\r\nD,d\r\n`;
    for (const pieceBytes of [4_099, 10_000_000]) {
      const rows = await csv(file, pieceBytes);
      expect(products(rows)).toEqual([
        'ROW_TOO_LARGE',
        'ROW_TOO_LARGE',
        'ROW_TOO_LARGE',
        { sku: 'D', name: 'd' },
      ]);
      expect(numbers(rows)).toEqual([2, 3, 4, 5]);
    }
  });

  test.each([
    ['\r\n', '\n'],
    ['\n', '\r\n'],
    ['\r', '\n'],
    ['\r\n', '\r'],
  ])('may have a header that ends in %j and rows that end in %j', async (afterHeader, afterRow) => {
    const rows = await csv(`sku,stock${afterHeader}A,1${afterRow}${afterRow}B,2${afterRow}`);
    expect(products(rows)).toEqual([
      { sku: 'A', stock: 1 },
      { sku: 'B', stock: 2 },
    ]);
    expect(numbers(rows)).toEqual([2, 4]);
  });

  test('may have a byte order mark and blank lines before its header, and quotes in it', async () => {
    expect(products(await csv('\uFEFF"sku" ,\t"name"\nA,a'))).toEqual([{ sku: 'A', name: 'a' }]);
    expect(products(await csv('\n  \n sku , name \nA,a'))).toEqual([{ sku: 'A', name: 'a' }]);
  });

  test.each(['sku,"name\nA,a\n', `sku,${tooLong}\nA,a\n`])(
    'is refused when its header can not be read',
    async (file) => {
      await expect(csv(file)).rejects.toMatchObject({ code: 'FILE_NOT_CSV' });
    },
  );

  test('is refused with two columns of one name, which is reported', async () => {
    await expect(csv('sku,price,stock,price\nA,1,2,3\n')).rejects.toMatchObject({
      code: 'FILE_COLUMNS_REPEATED',
      message: expect.stringContaining('"price"'),
    });
  });

  test('may have a null character; a letter that could not be read is a fault of its row alone', async () => {
    const rows = await csv('sku,name\nA,caf\uFFFD\nB,b\u0000\n');
    expect(products(rows)).toEqual(['CELL_INVALID', { sku: 'B', name: 'b\u0000' }]);
  });

  test.each([
    ['with semicolons', '"sku";"stock"\n"a;b";"5"\n'],
    ['with tabs', 'sku\tstock\na;b\t5\n'],
    ['behind a line that names its delimiter', 'sep=;\r\nsku;stock\r\n"a;b";5\r\n'],
    ['with names in other cases and white space around them', ' SKU , Stock \na;b,5\n'],
    ['with columns without a name at its end', 'sku,stock,,\na;b,5,,\n'],
    ['with rows of empty cells', 'sku,stock\n,\na;b,5\n,,,\n'],
  ])('is read %s', async (_, file) => {
    expect(products(await csv(file))).toEqual([{ sku: 'a;b', stock: 5 }]);
  });

  test('is read on from each row with the delimiter of its header', async () => {
    const file = 'sep=;\nsku;stock\na,a;1\nb,b;2\n';
    const [first] = await csv(file);
    expect(first?.end).toMatchObject({ delimiter: ';', header: ['sku', 'stock'] });
    const source = Readable.from([Buffer.from(file).subarray(first?.end.offset)]);
    const rest = [];
    for await (const group of readRows(source, fileKinds.catalog, { format: 'csv', gzip: false }, first?.end))
      rest.push(...group);
    expect(rest).toMatchObject([{ number: 4, value: { sku: 'b,b', stock: 2 } }]);
  });

  test('is refused with a delimiter that is not read, which the fault names', async () => {
    await expect(csv('sku|stock\na|5\n')).rejects.toMatchObject({
      code: 'FILE_COLUMNS_UNKNOWN',
      message: expect.stringContaining('separated by "|"'),
    });
    await expect(csv('sku;cost\na;5\n')).rejects.toMatchObject({
      code: 'FILE_COLUMNS_UNKNOWN',
      message: expect.stringMatching(/separated by ";".*"cost"/),
    });
  });

  test('keeps the white space of a quoted text and drops that of an unquoted one', async () => {
    expect(products(await csv('sku,name\n" W-1 ", a b \n W-1 ,"\ta"\n'))).toEqual([
      { sku: ' W-1 ', name: 'a b' },
      { sku: 'W-1', name: '\ta' },
    ]);
  });

  test('returns any cell content as it was written, with any line breaks and in any pieces', async () => {
    const cell = fc
      .string({ unit: fc.constantFrom('"', ',', '\r', '\n', ' ', 'x', 'é') })
      .map((text) => `x${text}x`);
    const lineBreak = fc.constantFrom('\r\n', '\n', '\r');
    const written = fc.array(fc.tuple(cell, cell, lineBreak), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(written, fc.integer({ min: 1, max: 50 }), async (rows, pieceBytes) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const lines = rows.map(([name, text, end]) => `${quoted(name)},${quoted(text)}${end}`);
        const read = await csv(`name,description\n${lines.join('')}`, pieceBytes);
        expect(products(read)).toEqual(rows.map(([name, description]) => ({ name, description })));
      }),
    );
  });

  test('reads a row after any text before it', async () => {
    const noise = fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', ' ', 'x') });
    await fc.assert(
      fc.asyncProperty(noise, async (text) => {
        const rows = await csv(`sku,name\nA,a\n${text}\nB,b\n`);
        expect(products(rows)[0]).toEqual({ sku: 'A', name: 'a' });
        expect(products(rows).at(-1)).toEqual({ sku: 'B', name: 'b' });
      }),
    );
  });

  test('is refused with a column whose name has a character that is not seen, which the fault shows', async () => {
    await expect(csv('sku,stock\u200B\nA,5\n')).rejects.toMatchObject({
      code: 'FILE_COLUMNS_UNKNOWN',
      message: expect.stringContaining('"stock\\u200b"'),
    });
  });

  test('is refused with a column named like a property of every object', async () => {
    await expect(csv('sku,__proto__\nA,x\n')).rejects.toMatchObject({ code: 'FILE_COLUMNS_UNKNOWN' });
  });
});
