/**
 * Builds the discovery documents as JSON values, with members in upstream's order and names in the requested dialect.
 * Paths, encodings and caching are left to discovery.ts.
 */
import { createHash } from 'node:crypto';
import { apiVersionOf } from '../../shared/api/identity/identity';
import { ownMember, type JsonObject } from '../../shared/values/json';
import { storedRowOf, type KindRow, type SubresourceRow, type Verb } from '../../shared/api/kinds';
import { groupInDialect, RELEASE, type Dialect } from '../../shared/names/dialect';
import { aggregatedApiVersion, type AggregatedVersion } from './accept';
import type { ServedGroup, ServedVersion } from './groups';

/** `/api` */
export function coreVersions(core: ServedGroup, serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: core.versions.map(({ version }) => version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/**
 * `/apis`: every group in each of its spellings, canonical ones first, for clients of either dialect. With the
 * Kubernetes naming only that spelling is listed, because a client that searches all groups for a kind would find it
 * twice.
 */
export function groupList(groups: readonly ServedGroup[], naming: Dialect): JsonObject {
  const hasOtherSpelling = ({ group, spelling }: ServedGroup): boolean =>
    naming === 'platform' && spelling === undefined && groupInDialect('kubernetes', group) !== group;
  const entries = groups.map((group) => groupEntry(group, naming));
  const respelledEntries = groups.filter(hasOtherSpelling).map((group) => groupEntry(group, 'kubernetes'));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: [...entries, ...respelledEntries] };
}

/** `/apis/<group>` */
export function groupDocument(group: ServedGroup, dialect: Dialect): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group, dialect) };
}

function groupEntry({ group, spelling, versions }: ServedGroup, dialect: Dialect): JsonObject {
  const name = spelling ?? groupInDialect(dialect, group);
  const entries = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  const [preferred] = entries;
  return { name, versions: entries, ...(preferred === undefined ? {} : { preferredVersion: preferred }) };
}

/** `/api/v1` and `/apis/<group>/<version>` */
export function resourceList(group: string, { version, rows }: ServedVersion, dialect: Dialect): JsonObject {
  const groupVersion = apiVersionOf({ group: groupInDialect(dialect, group), version });
  const resources = rows.flatMap((row) => [
    resourceEntry(row),
    ...orderedSubresources(row).map((subresource) => subresourceEntry(row, subresource, dialect)),
  ]);
  return { kind: 'APIResourceList', ...(group === '' ? {} : { apiVersion: 'v1' }), groupVersion, resources };
}

function resourceEntry(row: KindRow): JsonObject {
  return {
    name: row.resource,
    singularName: row.singular,
    namespaced: row.namespaced,
    kind: row.kind,
    verbs: orderedVerbs(row, row.verbs),
    ...namesOf(row),
    ...(row.virtual === true ? {} : { storageVersionHash: storageVersionHash(row) }),
  };
}

function subresourceEntry(row: KindRow, { name, verbs, kind }: SubresourceRow, dialect: Dialect): JsonObject {
  // Stated only when the subresource has a kind of another group version.
  const otherKind = kind === undefined || (kind.group === row.group && kind.version === row.version) ? undefined : kind;
  return {
    name: `${row.resource}/${name}`,
    singularName: '',
    namespaced: row.namespaced,
    ...(otherKind === undefined ? {} : { group: groupInDialect(dialect, otherKind.group), version: otherKind.version }),
    kind: kind?.kind ?? row.kind,
    verbs: orderedVerbs(row, verbs),
  };
}

/** Custom resources list their verbs and subresources in the order of their rows, built-in kinds by name. */
function orderedVerbs({ custom }: KindRow, verbs: readonly Verb[]): Verb[] {
  return custom === undefined ? [...verbs].sort() : [...verbs];
}

/** Short names and categories, where there are any. */
function namesOf({ shortNames = [], categories = [] }: KindRow): JsonObject {
  return {
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
  };
}

/** In the same order as verbs; see {@link orderedVerbs}. */
function orderedSubresources(row: KindRow): readonly SubresourceRow[] {
  const rows = row.subresources ?? [];
  return row.custom === undefined ? [...rows].sort((a, b) => (a.name < b.name ? -1 : 1)) : rows;
}

/** By kind, the storage version of upstream that is not served any more. The hash includes it, because clients compare hashes. */
const HASHED_VERSIONS: Readonly<Record<string, string>> = { CustomResourceDefinition: 'v1beta1' };

/**
 * Changes with the storage version. The same in both dialects, and equal to upstream's, because it is computed from
 * upstream's names in upstream's way: the first 8 bytes of the SHA-256 of `<group>/<storage version>/<kind>`.
 */
function storageVersionHash(row: KindRow): string {
  const { group, version, kind, custom } = storedRowOf(row);
  const storageVersion = custom?.storageVersion ?? ownMember(HASHED_VERSIONS, kind) ?? version;
  const identity = `${groupInDialect('kubernetes', group)}/${storageVersion}/${kind}`;
  return createHash('sha256').update(identity).digest().subarray(0, 8).toString('base64');
}

/** `/api` (the core group, without a name) and `/apis` (all others) in the aggregated form. */
export function aggregatedList(groups: readonly ServedGroup[], version: AggregatedVersion, dialect: Dialect): JsonObject {
  const items = groups.map(({ group, spelling, versions }) => ({
    metadata: { ...(group === '' ? {} : { name: spelling ?? groupInDialect(dialect, group) }), creationTimestamp: null },
    versions: versions.map((served) => aggregatedVersion(served, dialect)),
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: aggregatedApiVersion(version, dialect), metadata: {}, items };
}

function aggregatedVersion({ version, rows, remote }: ServedVersion, dialect: Dialect): JsonObject {
  if (remote === undefined) return { version, resources: rows.map((row) => aggregatedResource(row, dialect)), freshness: 'Current' };
  if (remote.resources === undefined) return { version, freshness: 'Stale' };
  return { version, resources: [...remote.resources], freshness: 'Current' };
}

function aggregatedResource(row: KindRow, dialect: Dialect): JsonObject {
  const subresources = orderedSubresources(row).map(({ name, verbs, kind }) => ({
    subresource: name,
    responseKind: responseKind(row, kind, dialect),
    verbs: orderedVerbs(row, verbs),
  }));
  return {
    resource: row.resource,
    responseKind: responseKind(row, undefined, dialect),
    scope: row.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: row.singular,
    verbs: orderedVerbs(row, row.verbs),
    ...namesOf(row),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/** Group and version are empty for built-in kinds of the list's own version. */
function responseKind(row: KindRow, kind: SubresourceRow['kind'], dialect: Dialect): JsonObject {
  if (kind === undefined || (kind.group === row.group && kind.version === row.version)) {
    const { group, version } = row.custom === undefined ? { group: '', version: '' } : row;
    return { group, version, kind: kind?.kind ?? row.kind };
  }
  return { group: groupInDialect(dialect, kind.group), version: kind.version, kind: kind.kind };
}

/** The build information in `/version`. */
export interface BuildInfo {
  readonly gitCommit: string;
  /** RFC 3339. */
  readonly buildDate: string;
  /** The runtime version, in place of upstream's compiler version. */
  readonly runtime: string;
  readonly platform: string;
}

/** `/version` */
export function versionDocument({ gitCommit, buildDate, runtime, platform }: BuildInfo): JsonObject {
  return { ...RELEASE, gitCommit, gitTreeState: 'clean', buildDate, goVersion: runtime, compiler: 'node', platform };
}
