/** CustomResourceDefinitions of one version, as bodies for a path that implies their type. */
export interface DefinitionOptions {
  readonly plural: string;
  readonly kind: string;
  readonly group: string;
  /** The schema of the whole object, of type `object`. */
  readonly schema?: object;
  /** Added to the spec. */
  readonly spec?: object;
  /** Added to the version `v1`. */
  readonly version?: object;
}

/** A CustomResourceDefinition, with one version unless the spec has others. */
export function customResourceDefinition({ plural, kind, group, schema = {}, spec = {}, version = {} }: DefinitionOptions) {
  const openAPIV3Schema = { type: 'object', ...schema };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...version }];
  return { metadata: { name: `${plural}.${group}` }, spec: { group, scope: 'Namespaced', names: { plural, kind }, versions, ...spec } };
}
