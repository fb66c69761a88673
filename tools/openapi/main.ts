import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { takeNoArguments } from '../../local/run/command-arguments.ts';
import { formatFiles } from '../../local/run/format-files.ts';
import { openApiDocument } from '../../sandbox/openapi/document.ts';

takeNoArguments("Writes sandbox/openapi.json, which describes the API, from the sandbox's schemas.");

const file = fileURLToPath(new URL('../../sandbox/openapi.json', import.meta.url));
writeFileSync(file, `${JSON.stringify(openApiDocument(), null, 2)}\n`);
formatFiles(file);
