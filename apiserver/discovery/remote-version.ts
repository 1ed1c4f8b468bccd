/**
 * Group versions of aggregated API servers, as discovery lists them. Their resources are converted here; fetching them is
 * left to the availability checks of `apiserver/aggregation`.
 */
import { appendToKey } from '../../shared/values/append';
import { arrayAt, isObject, ownMember, stringAt, stringsAt, type JsonObject } from '../../shared/values/json';

/** A version that an aggregated API server serves. */
export interface RemoteVersion {
  /** In the spelling of the aggregated server, which its objects use. */
  readonly group: string;
  readonly version: string;
  readonly priorities: { readonly group: number; readonly version: number };
  /** In the aggregated form; `undefined` while they are unknown. */
  readonly resources: readonly JsonObject[] | undefined;
}

/**
 * Converts an APIResourceList, which lists subresources beside resources, to the aggregated form, in which a resource
 * contains its subresources. Entries without a resource name are left out.
 */
export function remoteResources({ group, version }: Pick<RemoteVersion, 'group' | 'version'>, list: JsonObject): readonly JsonObject[] {
  const entries = (arrayAt(list, 'resources') ?? []).filter(isObject);
  const kindOf = (entry: JsonObject): JsonObject => ({
    group: stringAt(entry, 'group') ?? group,
    version: stringAt(entry, 'version') ?? version,
    kind: stringAt(entry, 'kind') ?? '',
  });
  const resourceEntries: JsonObject[] = [];
  /** By the name of their resource. */
  const subresources = new Map<string, JsonObject[]>();
  for (const entry of entries) {
    const [resource = '', subresource] = (stringAt(entry, 'name') ?? '').split('/', 2);
    if (subresource !== undefined) {
      appendToKey(subresources, resource, { subresource, responseKind: kindOf(entry), verbs: [...stringsAt(entry, 'verbs')] });
    } else if (resource !== '') resourceEntries.push(entry);
  }
  return resourceEntries.map((entry) => {
    const resource = stringAt(entry, 'name') ?? '';
    const shortNames = stringsAt(entry, 'shortNames');
    const categories = stringsAt(entry, 'categories');
    const subresourcesOfResource = subresources.get(resource);
    return {
      resource,
      responseKind: kindOf(entry),
      scope: ownMember(entry, 'namespaced') === true ? 'Namespaced' : 'Cluster',
      singularResource: stringAt(entry, 'singularName') ?? '',
      verbs: [...stringsAt(entry, 'verbs')],
      ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
      ...(categories.length === 0 ? {} : { categories: [...categories] }),
      ...(subresourcesOfResource === undefined ? {} : { subresources: subresourcesOfResource }),
    };
  });
}
