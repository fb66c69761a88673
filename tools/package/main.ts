import { takeNoArguments } from '../../local/run/command-arguments.ts';
import { buildPackage } from './build-package.ts';

takeNoArguments(`Builds the parts of the package beside its compiled modules, which tsc adds, in dist/. Lists what is shipped in
.build/sbom.cdx.json, as CycloneDX. Fails where a licence of it is not permissive.`);
await buildPackage();
