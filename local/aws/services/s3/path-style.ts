import type { AwsRequest } from '../../gateway/messages.ts';

/** The bucket's host name that clients build from an endpoint at `localhost`: `BUCKET.localhost`, `BUCKET.s3.localhost`, … */
const BUCKET_HOST = /^(?:(?<bucket>[a-z0-9.-]+?)\.)??(?:s3(?:[.-][a-z0-9-]+)?\.)?localhost(?::\d+)?$/i;

/** The path with the bucket in it, even if the request has the bucket in its host name. */
export function pathStyle({ headers, rawPath }: Pick<AwsRequest, 'headers' | 'rawPath'>): string {
  const bucket = BUCKET_HOST.exec(headers.host ?? '')?.groups?.bucket;
  return bucket === undefined ? rawPath : `/${bucket}${rawPath}`;
}
