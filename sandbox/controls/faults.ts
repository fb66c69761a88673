import { Hono } from 'hono';
import * as z from 'zod';
import { type ControlEnv, type ControlTarget, readControl } from './control.ts';

export const faultSchema = z
  .strictObject({
    status: z.int().min(200).max(599).optional(),
    code: z.string().optional(),
    delayMs: z.int().min(0).max(600_000).optional(),
    drop: z.enum(['before', 'after']).optional(),
    malformed: z.literal(true).optional(),
    contentType: z
      .string()
      .regex(/^[\x20-\x7e]+$/, 'must be visible ASCII, as the value of a header')
      .optional(),
    oversized: z.literal(true).optional(),
    ignored: z.literal(true).optional(),
    retryAfter: z.number().min(0).optional(),
    webhook: z.enum(['duplicate', 'delay', 'drop', 'early', 'reorder']).optional(),
  })
  .refine((value) => Object.keys(value).length > 0, 'must have a fault')
  .refine((value) => value.code === undefined || value.status !== undefined, 'code must come with a status');

const faultRule = z.strictObject({
  path: z.string().optional(),
  method: z.string().optional(),
  times: z.int().positive().default(1),
  fault: faultSchema,
});

/** Controls that inject faults into later requests or their summaries. */
export function faultControls({ world }: ControlTarget): Hono<ControlEnv> {
  const app = new Hono<ControlEnv>();
  app.post('/faults', async (c) => {
    const rule = await readControl(c, faultRule);
    world.marketplace.faults.add(rule);
    return c.json(rule);
  });
  app.delete('/faults', (c) => {
    world.marketplace.faults.clear();
    return c.json({ ok: true });
  });
  return app;
}
