/** Versions of groups that other servers answer for, as discovery tells of them. Asks nobody. */
import { arrayAt, isObject, own, stringAt, stringsAt, type JsonObject } from '../../shared/values/json';

export interface RemoteVersion {
  /** As its server spells it: in its objects it stands so. */
  readonly group: string;
  readonly version: string;
  readonly priorities: { readonly group: number; readonly version: number };
  /** As the aggregated form lists them; undefined = nobody knows at present. */
  readonly resources: readonly JsonObject[] | undefined;
}

/** The resources of an APIResourceList, as the aggregated form tells of them. Whatever is no resource is left out. */
export function remoteResources({ group, version }: Pick<RemoteVersion, 'group' | 'version'>, list: JsonObject): readonly JsonObject[] {
  const entries = (arrayAt(list, 'resources') ?? []).filter(isObject);
  const kindOf = (entry: JsonObject): JsonObject => ({
    group: stringAt(entry, 'group') ?? group,
    version: stringAt(entry, 'version') ?? version,
    kind: stringAt(entry, 'kind') ?? '',
  });
  const subresources = new Map<string, JsonObject[]>();
  for (const entry of entries) {
    const [resource = '', subresource] = (stringAt(entry, 'name') ?? '').split('/', 2);
    if (subresource === undefined) continue;
    const told = { subresource, responseKind: kindOf(entry), verbs: [...stringsAt(entry, 'verbs')] };
    subresources.set(resource, [...(subresources.get(resource) ?? []), told]);
  }
  return entries.flatMap((entry) => {
    const resource = stringAt(entry, 'name') ?? '';
    if (resource === '' || resource.includes('/')) return [];
    const [shortNames, categories] = [stringsAt(entry, 'shortNames'), stringsAt(entry, 'categories')];
    const below = subresources.get(resource);
    return {
      resource,
      responseKind: kindOf(entry),
      scope: own(entry, 'namespaced') === true ? 'Namespaced' : 'Cluster',
      singularResource: stringAt(entry, 'singularName') ?? '',
      verbs: [...stringsAt(entry, 'verbs')],
      ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
      ...(categories.length === 0 ? {} : { categories: [...categories] }),
      ...(below === undefined ? {} : { subresources: below }),
    };
  });
}
