import { AwsError, type AwsRequest } from '../../gateway/messages.ts';
import type { S3Operation } from './operation.ts';

const MOST_KEY_BYTES = 1_024;
const MOST_METADATA_BYTES = 2_048;
const METADATA = 'x-amz-meta-';

/**
 * Refuses what S3 refuses and fauxqs accepts: keys and metadata that are too large.
 *
 * @throws AwsError
 */
export function refuseBeyondLimits({ key }: S3Operation, { headers }: Pick<AwsRequest, 'headers'>): void {
  if (Buffer.byteLength(key) > MOST_KEY_BYTES) throw new AwsError('KeyTooLongError', 'Your key is too long');
  const metadata = Object.entries(headers).filter(([name]) => name.startsWith(METADATA));
  const bytes = metadata.reduce((sum, part) => sum + Buffer.byteLength(part.join('')) - METADATA.length, 0);
  if (bytes > MOST_METADATA_BYTES)
    throw new AwsError('MetadataTooLarge', 'Your metadata headers exceed the maximum allowed metadata size');
}
