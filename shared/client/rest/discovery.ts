/**
 * Reads aggregated discovery (APIGroupDiscoveryList): each resource in the preferred version of its group, and the
 * versions that are stale or malformed. A group that fails does not hide the others.
 */
import { canonicalGroup, groupInDialect, type Dialect } from '../../names/dialect';
import { apiVersionOf, parseApiVersion } from '../../api/identity/identity';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../values/json';
import type { RestClient } from './rest-client';
import type { RequestOptions } from './request-options';
import type { Resource } from './resource';

/** A resource as the server lists it. */
export interface ServedResource extends Resource {
  readonly verbs: ReadonlySet<string>;
  readonly subresources: ReadonlySet<string>;
}

/** What a server serves at the time of the request. */
export interface DiscoveredResources {
  /** Each resource in one version, in the server's order of groups: the preferred version, or the first that has it. */
  readonly resources: readonly ServedResource[];
  /** The resources of all served versions by `apiVersion/kind` (`apps/v1/Deployment`), in canonical spelling. */
  readonly kinds: ReadonlyMap<string, Resource>;
  /** Group versions, in the client's dialect, that are registered but that the server cannot describe now. Sorted. */
  readonly stale: readonly string[];
  /** Group versions with invalid names, as the server spells them. */
  readonly malformed: readonly string[];
}

/** Requests the documents of `/api` and `/apis`. Rejects when the server does not serve aggregated discovery. */
export async function discoverResources(client: RestClient, options: RequestOptions = {}): Promise<DiscoveredResources> {
  const accept = aggregatedForm(client.dialect);
  const documents = await Promise.all([client.getDocument('/api', accept, options), client.getDocument('/apis', accept, options)]);
  return readDiscovery(documents, client.dialect);
}

function aggregatedForm(dialect: Dialect): string {
  return `application/json;g=${groupInDialect(dialect, 'apidiscovery.platform.io')};v=v2;as=APIGroupDiscoveryList`;
}

/** Exported for tests: reads aggregated discovery documents. */
export function readDiscovery(documents: readonly JsonObject[], dialect: Dialect): DiscoveredResources {
  const resources = new Map<string, ServedResource>();
  const kinds = new Map<string, Resource>();
  const stale: string[] = [];
  const malformed: string[] = [];
  for (const { group, version, document } of versionsOf(documents)) {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    if (version === '' || parseApiVersion(apiVersion) === undefined) malformed.push(apiVersion);
    else if (stringAt(document, 'freshness') === 'Stale') stale.push(groupVersionIn(dialect, group, version));
    else for (const resource of resourcesOf(canonicalGroup(group), version, document)) addResource(resource, resources, kinds);
  }
  return { resources: [...resources.values()], kinds, stale: stale.sort(), malformed };
}

/** The versions of all groups, the preferred version of each group first. */
function* versionsOf(
  documents: readonly JsonObject[],
): Generator<{ readonly group: string; readonly version: string; readonly document: JsonObject }> {
  for (const group of documents.flatMap((document) => objectsAt(document, 'items'))) {
    const name = stringAt(objectAt(group, 'metadata'), 'name') ?? '';
    for (const document of objectsAt(group, 'versions')) yield { group: name, version: stringAt(document, 'version') ?? '', document };
  }
}

/** Adds a resource unless an earlier version of its group, and so a preferred one, has it. Adds its kind in any case. */
function addResource(resource: ServedResource, resources: Map<string, ServedResource>, kinds: Map<string, Resource>): void {
  const key = `${resource.group}/${resource.resource}`;
  if (!resources.has(key)) resources.set(key, resource);
  const kind = `${apiVersionOf(resource)}/${resource.kind}`;
  if (!kinds.has(kind)) kinds.set(kind, resource);
}

function* resourcesOf(group: string, version: string, document: JsonObject): Generator<ServedResource> {
  for (const entry of objectsAt(document, 'resources')) {
    const resource = stringAt(entry, 'resource') ?? '';
    if (resource === '') continue;
    yield {
      group,
      version,
      resource,
      kind: stringAt(objectAt(entry, 'responseKind'), 'kind') ?? '',
      namespaced: stringAt(entry, 'scope') === 'Namespaced',
      verbs: new Set((arrayAt(entry, 'verbs') ?? []).filter((verb) => typeof verb === 'string')),
      subresources: new Set(objectsAt(entry, 'subresources').map((subresource) => stringAt(subresource, 'subresource') ?? '')),
    };
  }
}

function groupVersionIn(dialect: Dialect, group: string, version: string): string {
  return `${groupInDialect(dialect, canonicalGroup(group))}/${version}`;
}

function objectsAt(value: JsonObject, member: string): readonly JsonObject[] {
  return (arrayAt(value, member) ?? []).filter((item: JsonValue): item is JsonObject => isObject(item));
}
