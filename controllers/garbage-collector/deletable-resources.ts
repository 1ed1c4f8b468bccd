/**
 * The resources that the garbage collector monitors, and the lookup of resources by the kinds in owner references. From
 * discovery.
 */
import type { ServedResource } from '../../shared/client/rest/discovery';
import type { Resource } from '../../shared/client/rest/resource';
import { canonicalApiVersion } from '../../shared/names/dialect';

/** Events are many and short-lived, and nothing is owned by them. */
const IGNORED_RESOURCES: ReadonlySet<string> = new Set(['/events', 'events.platform.io/events']);
const REQUIRED_VERBS: readonly string[] = ['delete', 'get', 'list', 'watch'];

/** Identifies a resource across discoveries, each of which creates new objects. */
export const resourceKeyOf = ({ group, version, resource, kind, namespaced }: Resource): string =>
  [group, version, resource, kind, namespaced].join('/');

/** Leaves out resources without the verbs that the collector needs, and those that it ignores as upstream's does. */
export function deletableResources(resources: readonly ServedResource[]): readonly ServedResource[] {
  return resources.filter(
    ({ group, resource, verbs }) => !IGNORED_RESOURCES.has(`${group}/${resource}`) && REQUIRED_VERBS.every((verb) => verbs.has(verb)),
  );
}

/** Returns the resource of a kind; `undefined` for a kind that is not served. */
export type KindLookup = (apiVersion: string, kind: string) => Resource | undefined;

/**
 * Looks kinds up in those of a discovery. `kinds`: by `{apiVersion}/{kind}` in canonical spelling, of every served
 * version.
 */
export function newKindLookup(kinds: ReadonlyMap<string, Resource>): KindLookup {
  return (apiVersion, kind) => kinds.get(`${canonicalApiVersion(apiVersion)}/${kind}`);
}
