import { writeFileSync } from 'node:fs';
import { openApiDocument } from './document.ts';

/** Brings the checked-in document up to date: `node test/sandbox/openapi/write.ts`, then format it. */
writeFileSync(new URL('../openapi.json', import.meta.url), `${JSON.stringify(openApiDocument(), null, 2)}\n`);
