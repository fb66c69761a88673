import { writeFileSync } from 'node:fs';
import { openApiDocument } from './document.ts';

/** Updates the checked-in document: `npm run openapi`. */
writeFileSync(new URL('../openapi.json', import.meta.url), `${JSON.stringify(openApiDocument(), null, 2)}\n`);
