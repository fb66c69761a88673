import * as z from 'zod';
import { type Route, route } from './route.ts';

interface DescriptionPorts {
  /** Reads the OpenAPI document of all routes. */
  readonly readOpenApi: () => Promise<unknown>;
}

export function descriptionRoutes({ readOpenApi }: DescriptionPorts): Route[] {
  return [
    route(
      'GET /openapi.json',
      { summary: 'This description', answers: { 200: z.looseObject({ openapi: z.string() }) } },
      readOpenApi,
    ),
  ];
}
