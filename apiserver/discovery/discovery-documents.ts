/**
 * The discovery documents as JSON values, members in upstream's order. Names are spelled in the dialect that is
 * asked for. Never knows about HTTP.
 */
import { createHash } from 'node:crypto';
import { apiVersionOf } from '../../shared/api/identity/identity';
import { own, type JsonObject } from '../../shared/values/json';
import { storedRowOf, type KindRow, type SubresourceRow, type Verb } from '../../shared/api/kinds';
import { groupIn, RELEASE, type Dialect } from '../../shared/names/dialect';
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
 * `/apis`: every group in every spelling it has, all canonical ones first, for clients of either. Where upstream's names were chosen there are just those: a client that
 * looks for a kind in all groups would find it twice.
 */
export function groupList(groups: readonly ServedGroup[], naming: Dialect): JsonObject {
  const chosen = groups.map((group) => groupEntry(group, naming));
  const others = groups
    .filter(({ group, spelling }) => naming === 'platform' && spelling === undefined && groupIn('kubernetes', group) !== group)
    .map((group) => groupEntry(group, 'kubernetes'));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: [...chosen, ...others] };
}

/** `/apis/<group>` */
export function groupDocument(group: ServedGroup, dialect: Dialect): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group, dialect) };
}

function groupEntry({ group, spelling, versions }: ServedGroup, dialect: Dialect): JsonObject {
  const name = spelling ?? groupIn(dialect, group);
  const entries = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  const [preferred] = entries;
  return { name, versions: entries, ...(preferred === undefined ? {} : { preferredVersion: preferred }) };
}

/** `/api/v1` and `/apis/<group>/<version>` */
export function resourceList(group: string, { version, rows }: ServedVersion, dialect: Dialect): JsonObject {
  const groupVersion = apiVersionOf({ group: groupIn(dialect, group), version });
  const resources = rows.flatMap((row) => [resourceEntry(row), ...subresources(row).map((sub) => subresourceEntry(row, sub, dialect))]);
  return { kind: 'APIResourceList', ...(group === '' ? {} : { apiVersion: 'v1' }), groupVersion, resources };
}

function resourceEntry(row: KindRow): JsonObject {
  return {
    name: row.resource,
    singularName: row.singular,
    namespaced: row.namespaced,
    kind: row.kind,
    verbs: inOrder(row, row.verbs),
    ...namesOf(row),
    ...(row.virtual === true ? {} : { storageVersionHash: storageVersionHash(row) }),
  };
}

function subresourceEntry(row: KindRow, { name, verbs, kind }: SubresourceRow, dialect: Dialect): JsonObject {
  const foreign = kind === undefined || (kind.group === row.group && kind.version === row.version) ? undefined : kind;
  return {
    name: `${row.resource}/${name}`,
    singularName: '',
    namespaced: row.namespaced,
    ...(foreign === undefined ? {} : { group: groupIn(dialect, foreign.group), version: foreign.version }),
    kind: kind?.kind ?? row.kind,
    verbs: inOrder(row, verbs),
  };
}

function inOrder({ custom }: KindRow, verbs: readonly Verb[]): Verb[] {
  return custom === undefined ? [...verbs].sort() : [...verbs];
}

function namesOf({ shortNames = [], categories = [] }: KindRow): JsonObject {
  return {
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
  };
}

function subresources(row: KindRow): readonly SubresourceRow[] {
  const all = row.subresources ?? [];
  return row.custom === undefined ? [...all].sort((a, b) => (a.name < b.name ? -1 : 1)) : all;
}

/** Where upstream stores objects in a version that nobody serves any more; clients compare the hash with one that they know. */
const HASHED_VERSIONS: Readonly<Record<string, string>> = { CustomResourceDefinition: 'v1beta1' };

/** Changes when objects are stored in another version. The same in both dialects and, as it is of upstream's names, the same as upstream's. */
function storageVersionHash(row: KindRow): string {
  const { group, version, kind, custom } = storedRowOf(row);
  const identity = `${groupIn('kubernetes', group)}/${custom?.storageVersion ?? own(HASHED_VERSIONS, kind) ?? version}/${kind}`;
  return createHash('sha256').update(identity).digest().subarray(0, 8).toString('base64');
}

/** `/api` (core alone, which has no name) and `/apis` (all others) in the aggregated form. */
export function aggregatedList(groups: readonly ServedGroup[], version: AggregatedVersion, dialect: Dialect): JsonObject {
  const items = groups.map(({ group, spelling, versions }) => ({
    metadata: { ...(group === '' ? {} : { name: spelling ?? groupIn(dialect, group) }), creationTimestamp: null },
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
  const subs = subresources(row).map(({ name, verbs, kind }) => ({
    subresource: name,
    responseKind: responseKind(row, kind, dialect),
    verbs: inOrder(row, verbs),
  }));
  return {
    resource: row.resource,
    responseKind: responseKind(row, undefined, dialect),
    scope: row.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: row.singular,
    verbs: inOrder(row, row.verbs),
    ...namesOf(row),
    ...(subs.length === 0 ? {} : { subresources: subs }),
  };
}

/** Group and version are left empty for built-in kinds of the list's own version. */
function responseKind(row: KindRow, kind: SubresourceRow['kind'], dialect: Dialect): JsonObject {
  if (kind === undefined || (kind.group === row.group && kind.version === row.version)) {
    const { group, version } = row.custom === undefined ? { group: '', version: '' } : row;
    return { group, version, kind: kind?.kind ?? row.kind };
  }
  return { group: groupIn(dialect, kind.group), version: kind.version, kind: kind.kind };
}

/** What `/version` says about how the program was made. */
export interface BuildInfo {
  readonly gitCommit: string;
  /** RFC 3339. */
  readonly buildDate: string;
  /** The runtime that the program runs on, where upstream names its compiler. */
  readonly runtime: string;
  readonly platform: string;
}

/** `/version` */
export function versionDocument({ gitCommit, buildDate, runtime, platform }: BuildInfo): JsonObject {
  return { ...RELEASE, gitCommit, gitTreeState: 'clean', buildDate, goVersion: runtime, compiler: 'node', platform };
}
