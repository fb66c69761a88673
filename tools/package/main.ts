import { takeNoArguments } from '../../local/run/command-arguments.ts';
import { buildPackage } from './build-package.ts';

takeNoArguments('Builds the parts of the package beside its compiled modules, which tsc adds, in dist/.');
await buildPackage();
