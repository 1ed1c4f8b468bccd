/**
 * Arranges the served kinds as discovery lists them: ordered groups with ordered versions, and resources by name with
 * their subresources. Names are in canonical spelling; discovery-documents.ts converts them to a dialect.
 */
import { compareBytes } from '../../shared/values/json';
import type { KindRow } from '../../shared/api/kinds';
import { canonicalGroup } from '../../shared/names/dialect';
import { compareApiVersions } from '../../shared/values/version-order';
import type { RemoteVersion } from './remote-version';

/** A version of a group with its resources. */
export interface ServedVersion {
  readonly version: string;
  /** Ordered by resource name; empty for a version of an aggregated API server. */
  readonly rows: readonly KindRow[];
  /** Set for a version of an aggregated API server. */
  readonly remote?: RemoteVersion;
}

/** A group as discovery lists it. */
export interface ServedGroup {
  /** '' for the core group. */
  readonly group: string;
  /** The only served spelling; absent when each dialect uses its own. */
  readonly spelling?: string;
  /** The preferred version first. */
  readonly versions: readonly ServedVersion[];
}

/** The order in which clients search for a kind that is in several groups. Other groups follow, by name. */
const GROUP_ORDER: readonly string[] = [
  '',
  'apiregistration.platform.io',
  'apps',
  'events.platform.io',
  'authentication.platform.io',
  'authorization.platform.io',
  'autoscaling',
  'batch',
  'certificates.platform.io',
  'networking.platform.io',
  'policy',
  'rbac.authorization.platform.io',
  'storage.platform.io',
  'admissionregistration.platform.io',
  'apiextensions.platform.io',
  'scheduling.platform.io',
  'coordination.platform.io',
  'node.platform.io',
  'discovery.platform.io',
  'flowcontrol.apiserver.platform.io',
];

/** `remotes`: versions of aggregated API servers, which replace rows of the same version. */
export function servedGroups(rows: readonly KindRow[], remotes: readonly RemoteVersion[] = []): readonly ServedGroup[] {
  const names = [...rows.map(({ group }) => group), ...remotes.map(({ group }) => canonicalGroup(group))];
  const ordered = [...new Set(names)].map((name) => {
    const group = servedGroup(name, rows, remotes);
    return { name, group, order: orderOf(group) };
  });
  ordered.sort((a, b) => a.order.fixed - b.order.fixed || b.order.priority - a.order.priority || compareBytes(a.name, b.name));
  return ordered.map(({ group }) => group);
}

/** A group that consists of remote versions only has the spelling of the first of them. */
function servedGroup(group: string, rows: readonly KindRow[], remotes: readonly RemoteVersion[]): ServedGroup {
  const ownRows = rows.filter((row) => row.group === group);
  const groupRemotes = remotes.filter((remote) => canonicalGroup(remote.group) === group);
  const [first] = groupRemotes;
  const versions = servedVersions(ownRows, groupRemotes);
  return { group, ...(ownRows.length > 0 || first === undefined ? {} : { spelling: first.group }), versions };
}

/** Groups that are not built in are ordered by priority. These are the priorities of custom resource definitions. */
const CUSTOM_PRIORITY = { group: 1000, version: 100 };

/**
 * Groups are sorted by `fixed`, lowest first: the index in {@link GROUP_ORDER}, or the length of that list for all other
 * groups. Those are sorted by `priority`, highest first, and then by name.
 */
function orderOf({ group, versions }: ServedGroup): { readonly fixed: number; readonly priority: number } {
  const index = GROUP_ORDER.indexOf(group);
  const priorities = versions.map(({ remote }) => remote?.priorities.group ?? CUSTOM_PRIORITY.group);
  return { fixed: index < 0 ? GROUP_ORDER.length : index, priority: Math.max(...priorities) };
}

/** The versions of a group by priority, highest first, and then in the order of Kubernetes versions. */
function servedVersions(rows: readonly KindRow[], remotes: readonly RemoteVersion[]): readonly ServedVersion[] {
  const remoteByVersion = new Map(remotes.map((remote) => [remote.version, remote]));
  const priorityOf = (version: string): number => remoteByVersion.get(version)?.priorities.version ?? CUSTOM_PRIORITY.version;
  const versions = [...new Set([...rows.map((row) => row.version), ...remoteByVersion.keys()])];
  versions.sort((a, b) => priorityOf(b) - priorityOf(a) || compareApiVersions(a, b));
  return versions.map((version) => {
    const remote = remoteByVersion.get(version);
    if (remote !== undefined) return { version, rows: [], remote };
    const versionRows = rows.filter((row) => row.version === version);
    return { version, rows: versionRows.sort((a, b) => compareBytes(a.resource, b.resource)) };
  });
}
