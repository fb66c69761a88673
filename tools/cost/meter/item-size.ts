/** An attribute value as DynamoDB's API writes it: `{S: 'text'}`. */
type AttributeValue = Readonly<Record<string, unknown>>;
export type StoredItem = Readonly<Record<string, AttributeValue>>;

/** Bytes of a list or map, and of each of its elements, beside their content. */
const CONTAINER_BYTES = 3;
const ELEMENT_BYTES = 1;

/** The size by which DynamoDB bills an item, in bytes: names and values of its attributes. */
export function itemSize(item: StoredItem): number {
  return sum(Object.entries(item).map(([name, value]) => Buffer.byteLength(name) + valueSize(value)));
}

function valueSize(value: AttributeValue): number {
  const [[type = '', content] = []] = Object.entries(value);
  switch (type) {
    case 'S':
      return Buffer.byteLength(content as string);
    case 'N':
      return numberSize(content as string);
    case 'B':
      return Buffer.from(content as string, 'base64').length;
    case 'BOOL':
    case 'NULL':
      return 1;
    case 'L':
      return (
        CONTAINER_BYTES + sum((content as AttributeValue[]).map((one) => ELEMENT_BYTES + valueSize(one)))
      );
    case 'M': {
      const entries = Object.entries(content as StoredItem);
      const sizes = entries.map(([name, one]) => ELEMENT_BYTES + Buffer.byteLength(name) + valueSize(one));
      return CONTAINER_BYTES + sum(sizes);
    }
    default:
      throw new Error(`no size is known of an attribute of type ${type}`);
  }
}

/** Two digits to a byte, without zeros at the ends, and a byte for the exponent. */
function numberSize(text: string): number {
  const digits = text
    .replace(/^-/, '')
    .replace('.', '')
    .replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}
