import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { takeNoArguments } from '../../run/command-arguments.ts';
import { formatFiles } from '../../run/format-files.ts';
import { openApiDocument } from './document.ts';

takeNoArguments("Writes test/sandbox/openapi.json, which describes the API, from the sandbox's schemas.");

const file = fileURLToPath(new URL('../openapi.json', import.meta.url));
writeFileSync(file, `${JSON.stringify(openApiDocument(), null, 2)}\n`);
formatFiles(file);
