/** Which resources the collector follows, and where the objects are that references of owners name. Read from what the server says that it serves. */
import type { ServedResource } from '../../shared/client/rest/discovery';
import type { Resource } from '../../shared/client/rest/resource';
import { canonicalApiVersion } from '../../shared/names/dialect';

/** Nobody owns them for long, and there are many. */
const IGNORED: ReadonlySet<string> = new Set(['/events', 'events.platform.io/events']);
const NEEDED: readonly string[] = ['delete', 'get', 'list', 'watch'];

/** One collection, however often its definition is read. */
export const collectionOf = ({ group, version, resource, kind, namespaced }: Resource): string =>
  [group, version, resource, kind, namespaced].join('/');

export function followed(resources: readonly ServedResource[]): readonly ServedResource[] {
  return resources.filter(({ group, resource, verbs }) => !IGNORED.has(`${group}/${resource}`) && NEEDED.every((verb) => verbs.has(verb)));
}

/** The resource whose objects are of the kind; undefined when there is none. */
export type KindLookup = (apiVersion: string, kind: string) => Resource | undefined;

/** `kinds`: of every version that is served, as in {@link Discovered}. */
export function kindLookup(kinds: ReadonlyMap<string, Resource>): KindLookup {
  return (apiVersion, kind) => kinds.get(`${canonicalApiVersion(apiVersion)}/${kind}`);
}
