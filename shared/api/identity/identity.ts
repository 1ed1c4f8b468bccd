/**
 * Identifiers of API objects: group, version, kind, resource, object key. They are objects with named members, so that a
 * group is not passed as a version by mistake. Groups are in the canonical spelling (shared/names/dialect.ts).
 */

/** An apiVersion. */
export interface GroupVersion {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
}
/** A kind in one version. */
export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}
/** A resource in any version. */
export interface GroupResource {
  readonly group: string;
  /** The plural in URLs: `configmaps`. */
  readonly resource: string;
}

/** `v1` or `group/version`. */
export function apiVersionOf(gv: GroupVersion): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** `pods` for a resource of the core group, else `deployments.apps`: the form in error messages. */
export function groupResourceText(gr: GroupResource): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`;
}

/** `Pod` for a kind of the core group, else `Deployment.apps`: the form in error messages. */
export function groupKindText(gvk: { readonly group: string; readonly kind: string }): string {
  return gvk.group === '' ? gvk.kind : `${gvk.kind}.${gvk.group}`;
}

/**
 * Parses `v1` or `group/version`; `undefined` for more than one slash. An empty text gives an empty group and version.
 * The two parts are not validated.
 */
export function parseApiVersion(text: string): GroupVersion | undefined {
  const parts = text.split('/');
  if (parts.length > 2) return undefined;
  const [first = '', second] = parts;
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

/** Namespace ('' for cluster-scoped objects) and name of an object. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}
