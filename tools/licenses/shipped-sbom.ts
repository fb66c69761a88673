import * as z from 'zod';
import { isPermissive } from './permissive.ts';

/** One entry of a component's `licenses` in CycloneDX. */
const licenceSchema = z.union([
  z.looseObject({ expression: z.string() }).transform(({ expression }) => expression),
  z.looseObject({ license: z.looseObject({ id: z.string() }) }).transform(({ license }) => license.id),
  z.looseObject({ license: z.looseObject({ name: z.string() }) }).transform(({ license }) => license.name),
]);

/** The parts of a CycloneDX document that are read here. */
export const sbomSchema = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ 'bom-ref': z.string() }) }),
  components: z.array(
    z.looseObject({
      'bom-ref': z.string(),
      name: z.string(),
      version: z.string(),
      licenses: z.array(z.unknown()).optional(),
    }),
  ),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
});
export type Sbom = z.infer<typeof sbomSchema>;

/**
 * The part of a document with the shipped packages.
 *
 * @param shipped as `name@version`
 * @throws Error that names a shipped package that the document does not have
 */
export function shippedPart(sbom: Sbom, shipped: readonly string[]): Sbom {
  const nameOf = ({ name, version }: Sbom['components'][number]) => `${name}@${version}`;
  const known = new Set(sbom.components.map(nameOf));
  const missing = shipped.filter((name) => !known.has(name));
  if (missing.length > 0) throw new Error(`no component for ${missing.join(', ')}`);
  const components = sbom.components.filter((component) => shipped.includes(nameOf(component)));
  const refs = new Set([
    sbom.metadata.component['bom-ref'],
    ...components.map((component) => component['bom-ref']),
  ]);
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ dependsOn = [], ...rest }) => ({ ...rest, dependsOn: dependsOn.filter((ref) => refs.has(ref)) }));
  return { ...sbom, components, dependencies };
}

/** The dependencies of the package itself with these names, and all that they depend on, as `name@version`. */
export function withDependencies(
  { metadata, components, dependencies }: Sbom,
  names: readonly string[],
): string[] {
  const dependsOn = new Map(dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  const byRef = new Map(components.map((component) => [component['bom-ref'], component]));
  const own = dependsOn.get(metadata.component['bom-ref']) ?? [];
  const found = new Set(own.filter((ref) => names.includes(byRef.get(ref)?.name ?? '')));
  for (const ref of found) for (const next of dependsOn.get(ref) ?? []) found.add(next);
  return [...found].flatMap((ref) => {
    const component = byRef.get(ref);
    return component === undefined ? [] : `${component.name}@${component.version}`;
  });
}

/** Components whose licence is missing or not permissive, as `name@version: licence`. */
export function refusedLicences({ components }: Sbom): string[] {
  return components.flatMap(({ name, version, licenses = [] }) => {
    const expressions = licenses.map((licence) => licenceSchema.safeParse(licence).data ?? 'unreadable');
    const isAllowed = expressions.length > 0 && expressions.every(isPermissive);
    return isAllowed ? [] : [`${name}@${version}: ${expressions.join(', ') || 'no licence'}`];
  });
}
