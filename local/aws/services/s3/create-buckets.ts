import type { ResourceKind } from '../../run/create-resources.ts';
import type { Backend } from '../backend.ts';

/** Creates missing buckets. */
export function bucketKind(backend: Backend): ResourceKind {
  const ask = async (method: 'HEAD' | 'PUT' | 'DELETE', name: string): Promise<number> => {
    const request = { method, rawPath: `/${name}`, rawQuery: '', headers: {}, body: Buffer.alloc(0) };
    return (await backend.forward(request)).status;
  };
  return {
    async create({ name }) {
      if ((await ask('HEAD', name)) === 200) return false;
      const status = await ask('PUT', name);
      if (status !== 200) throw new Error(`The bucket ${name} could not be created: ${status}`);
      return true;
    },
    async remove({ name }) {
      const status = await ask('DELETE', name);
      if (status !== 204) throw new Error(`the bucket could not be deleted: ${status}`);
    },
  };
}
