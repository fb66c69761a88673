import type { Backend } from '../backend.ts';
import type { BucketDefinition } from './bucket-definition.ts';

/** Creates the buckets; an existing one is not changed. */
export async function createBuckets(backend: Backend, buckets: Iterable<BucketDefinition>): Promise<void> {
  for (const { name } of buckets) {
    const { status } = await backend.forward({
      method: 'PUT',
      rawPath: `/${name}`,
      rawQuery: '',
      headers: {},
      body: Buffer.alloc(0),
    });
    if (status !== 200 && status !== 409)
      throw new Error(`The bucket ${name} could not be created: ${status}`);
  }
}
