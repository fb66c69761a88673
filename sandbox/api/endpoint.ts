import type * as z from 'zod';
import type { Batch, BatchPlan } from '../batches/batch.ts';
import { validationError } from '../errors.ts';
import type { NewId } from '../identifiers.ts';
import { validationErrorsOf } from '../schemas/common.ts';
import type { Marketplace } from '../state/marketplace.ts';
import type { Partner, Store } from '../state/store.ts';
import type { Answer } from './answers.ts';

/** The context of every call. */
export interface CallContext {
  marketplace: Marketplace;
  requestId: string;
  /** Base URL of the sandbox itself. */
  sandboxUrl: string;
  newId: NewId;
  /** The server's clock, epoch ms, shifted by the control `clock`. */
  serverNow: number;
  /** The real time, epoch ms, for histories. */
  now: number;
  /** Path parameters, decoded. */
  params: Record<string, string>;
}

export interface PartnerContext extends CallContext {
  partner: Partner;
}

export interface StoreContext extends PartnerContext {
  store: Store;
  /** Makes a batch of these rows, applied after earlier batches. */
  submit(plan: BatchPlan): Batch;
}

type Parsed<Context, Body extends z.ZodType, Query extends z.ZodType> = Context & {
  body: z.output<Body>;
  query: z.output<Query>;
};

interface Definition<Context, Body extends z.ZodType, Query extends z.ZodType> {
  /** Name in the OpenAPI document. */
  operationId: string;
  /** Section of the specification. */
  section: string;
  summary: string;
  method: 'GET' | 'POST' | 'PATCH';
  /** Path below `/api/v1`, with parameters in braces. */
  path: `/partner/${string}`;
  body?: Body;
  /** Schema of the rows of a bulk body, which the endpoint checks one by one. */
  row?: z.ZodType;
  query?: Query;
  /** Schema of `data`, or of the whole body if there is no envelope; undefined for a PDF. */
  answer: z.ZodType | undefined;
  envelope: Answer['kind'];
  /** Error codes of the whole call, without those of authentication and validation. */
  errors?: readonly string[];
  handle(call: Parsed<Context, Body, Query>): Answer | Promise<Answer>;
}

/** The parts of a request that an endpoint reads. */
export interface Input {
  body: unknown;
  query: Record<string, string>;
}

interface Described extends Omit<Definition<never, z.ZodType, z.ZodType>, 'handle'> {}

/** An endpoint: its description for the OpenAPI document, its scope and its code. */
export type Endpoint = Described &
  (
    | { scope: 'open'; run(context: CallContext, input: Input): Answer | Promise<Answer> }
    | { scope: 'partner'; run(context: PartnerContext, input: Input): Answer | Promise<Answer> }
    | { scope: 'store'; run(context: StoreContext, input: Input): Answer | Promise<Answer> }
  );

/** An endpoint without authentication. */
export function openEndpoint<Body extends z.ZodType, Query extends z.ZodType>(
  definition: Definition<CallContext, Body, Query>,
): Endpoint {
  return { ...definition, scope: 'open', run: runner(definition) };
}

/** An endpoint whose requests are signed with the partner's headers only. */
export function partnerEndpoint<Body extends z.ZodType, Query extends z.ZodType>(
  definition: Definition<PartnerContext, Body, Query>,
): Endpoint {
  return { ...definition, scope: 'partner', run: runner(definition) };
}

/** An endpoint whose requests are signed with the store's headers too. */
export function storeEndpoint<Body extends z.ZodType, Query extends z.ZodType>(
  definition: Definition<StoreContext, Body, Query>,
): Endpoint {
  return { ...definition, scope: 'store', run: runner(definition) };
}

function runner<Context, Body extends z.ZodType, Query extends z.ZodType>(
  definition: Definition<Context, Body, Query>,
) {
  return (context: Context, input: Input) => {
    const lacksBody = definition.body !== undefined && input.body === undefined;
    if (lacksBody) throw validationError({ body: 'must be JSON' });
    const body = parse(definition.body, input.body) as z.output<Body>;
    const query = parse(definition.query, input.query) as z.output<Query>;
    return definition.handle({ ...context, body, query });
  };
}

function parse(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw validationError(validationErrorsOf(parsed.error));
  return parsed.data;
}
