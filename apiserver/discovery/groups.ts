/**
 * The served kinds, arranged as discovery lists them: groups in their order, versions in theirs, resources by name with their subresources.
 * Canonical spelling only; documents.ts puts names into a dialect.
 */
import { compareBytes } from '../../shared/values/json';
import type { KindRow } from '../../shared/api/kinds';
import { canonicalGroup } from '../../shared/names/dialect';
import { compareVersions } from '../../shared/values/version-order';
import type { RemoteVersion } from './remote-version';

export interface ServedVersion {
  readonly version: string;
  /** Ordered by resource name; none where another server answers. */
  readonly rows: readonly KindRow[];
  readonly remote?: RemoteVersion;
}

export interface ServedGroup {
  /** '' = core. */
  readonly group: string;
  /** The only one that leads anywhere; absent = each dialect's. */
  readonly spelling?: string;
  /** The preferred one first. */
  readonly versions: readonly ServedVersion[];
}

/** The order in which clients look for a kind that several groups have. Groups that are not listed follow, by name. */
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

/** `remotes`: what other servers answer for, instead of rows where there are some. */
export function servedGroups(rows: readonly KindRow[], remotes: readonly RemoteVersion[] = []): readonly ServedGroup[] {
  const all = [...rows.map(({ group }) => group), ...remotes.map(({ group }) => canonicalGroup(group))];
  const groups = [...new Set(all)].map((group) => servedGroup(group, rows, remotes));
  return groups
    .map((group) => ({ group, place: placeOf(group) }))
    .sort((a, b) => a.place.fixed - b.place.fixed || b.place.priority - a.place.priority || compareBytes(a.group.group, b.group.group))
    .map(({ group }) => group);
}

function servedGroup(group: string, rows: readonly KindRow[], remotes: readonly RemoteVersion[]): ServedGroup {
  const own = rows.filter((row) => row.group === group);
  const others = remotes.filter((remote) => canonicalGroup(remote.group) === group);
  const [first] = others;
  const versions = servedVersions(own, others);
  return { group, ...(own.length > 0 || first === undefined ? {} : { spelling: first.group }), versions };
}

/** Groups that do not come with the server follow by priority; those of definitions have this one, and so have their versions. */
const CUSTOM_PRIORITY = { group: 1000, version: 100 };

function placeOf({ group, versions }: ServedGroup): { readonly fixed: number; readonly priority: number } {
  const index = GROUP_ORDER.indexOf(group);
  const priorities = versions.map(({ remote }) => remote?.priorities.group ?? CUSTOM_PRIORITY.group);
  return { fixed: index < 0 ? GROUP_ORDER.length : index, priority: Math.max(...priorities) };
}

function servedVersions(rows: readonly KindRow[], remotes: readonly RemoteVersion[]): readonly ServedVersion[] {
  const others = new Map(remotes.map((remote) => [remote.version, remote]));
  const priorityOf = (version: string): number => others.get(version)?.priorities.version ?? CUSTOM_PRIORITY.version;
  const versions = [...new Set([...rows.map((row) => row.version), ...others.keys()])].sort(
    (a, b) => priorityOf(b) - priorityOf(a) || compareVersions(a, b),
  );
  return versions.map((version) => {
    const remote = others.get(version);
    if (remote !== undefined) return { version, rows: [], remote };
    return { version, rows: rows.filter((row) => row.version === version).sort((a, b) => compareBytes(a.resource, b.resource)) };
  });
}
