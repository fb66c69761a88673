#!/usr/bin/env node
// The bin of the package. An older Node.js would end at the imports of the command line, with a page of its code.
import { nodeFault } from './programs/needed-node.ts';

const COMMAND_LINE = './main.mjs';

const fault = nodeFault();
if (fault === undefined) {
  await import(COMMAND_LINE);
} else {
  console.error(fault);
  process.exitCode = 1;
}
