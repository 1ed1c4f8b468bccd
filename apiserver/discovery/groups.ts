/**
 * The served kinds, arranged as discovery lists them: groups in their order, versions in theirs, resources by name with their subresources.
 * Canonical spelling only; documents.ts puts names into a dialect.
 */
import { compareBytes } from '../../shared/values/json';
import type { KindRow } from '../../shared/api/kinds';
import { compareVersions } from '../../shared/values/version-order';

export interface ServedVersion {
  readonly version: string;
  /** Ordered by resource name. */
  readonly rows: readonly KindRow[];
}

export interface ServedGroup {
  /** '' = core. */
  readonly group: string;
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

export function servedGroups(rows: readonly KindRow[]): readonly ServedGroup[] {
  const groups = [...new Set(rows.map((row) => row.group))].sort((a, b) => rank(a) - rank(b) || compareBytes(a, b));
  return groups.map((group) => ({ group, versions: servedVersions(rows.filter((row) => row.group === group)) }));
}

function rank(group: string): number {
  const index = GROUP_ORDER.indexOf(group);
  return index < 0 ? GROUP_ORDER.length : index;
}

function servedVersions(rows: readonly KindRow[]): readonly ServedVersion[] {
  const versions = [...new Set(rows.map((row) => row.version))].sort(compareVersions);
  return versions.map((version) => ({
    version,
    rows: rows.filter((row) => row.version === version).sort((a, b) => compareBytes(a.resource, b.resource)),
  }));
}
