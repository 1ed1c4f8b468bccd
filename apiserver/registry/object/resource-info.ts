/**
 * What the write path needs to know of a resource again and again, worked out once: keys, names in messages, rules. Holds no state.
 */
import { apiVersionOf, type GroupResource } from '../../../shared/api/identity/identity';
import type { CustomVersion } from '../../../shared/api/structural/version';
import { hubConverterOf, type HubConverter } from '../../../shared/api/conversion';
import { KNOWN_KINDS, storedRowOf, type KindRow, type NameFormat } from '../../../shared/api/kinds';
import type { JsonObject } from '../../../shared/values/json';
import {
  namePrefixCheck,
  checkDns1035Label,
  checkDnsLabel,
  checkDnsSubdomain,
  checkPathSegment,
  checkPathSegmentPrefix,
  type NameCheck,
} from '../../../shared/values/name-formats';
import type { MetadataRules } from '../../../shared/api/metadata/object-meta-rules';
import { codecOf, type KindCodec } from '../../../shared/api/codec/codec';
import type { Dialect } from '../../../shared/names/dialect';
import type { StoredType } from '../../cache/cache';
import type { Resource } from '../verbs';
import { fieldReader, type FieldReader } from './field-reader';
import type { ResetFields, Strategy } from '../strategy';

/** What is known of a kind whether or not it is stored. */
export interface KindInfo {
  readonly row: KindRow;
  /** The row of the version in which objects are stored; rules, admission and storage know no other. */
  readonly hub: KindRow;
  /** Name in the type tables, of the version that is served. */
  readonly type: string;
  /** What is done with objects as they are served, and as they are stored. */
  readonly codec: KindCodec;
  readonly hubCodec: KindCodec;
  /** Absent where both are one. */
  readonly converter: HubConverter | undefined;
  /** All versions of the kind that objects can be converted to, served or not. */
  readonly versions: ReadonlyMap<string, KindVersion>;
  readonly kind: string;
  readonly group: string;
  readonly apiVersion: string;
  readonly gr: GroupResource;
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
  /** What endpoints leave as it is, where that does not follow from the row. */
  readonly resetFields?: ResetFields | undefined;
}

export interface ResourceInfo extends KindInfo {
  readonly resource: Resource;
  readonly stored: StoredType;
  /** Everything of the store key up to the entry's key. */
  readonly keyPrefix: string;
  readonly strategy: Strategy;
  readonly metadataRules: MetadataRules;
  /** Finalizers need a domain. */
  readonly wantsQualifiedFinalizers: boolean;
  readonly fields: readonly FieldReader[];
}

export interface KindVersion {
  readonly row: Pick<KindRow, 'custom' | 'type'>;
  readonly converter: HubConverter | undefined;
}

/** Whether only a webhook can tell how objects of the kind look in another version. */
export const needsWebhook = ({ row }: Pick<KindInfo, 'row'>): boolean => row.custom?.webhook !== undefined;

/** An object that was sent, decoded and with its version's defaults, as one that can be stored. */
export function toHub({ converter }: KindInfo, object: JsonObject): JsonObject {
  return converter === undefined ? object : converter.toHub(object);
}

/** A stored object in the version that is served. */
export function toServed({ converter }: KindInfo, object: JsonObject): JsonObject {
  return converter === undefined ? object : converter.fromHub(object);
}

/** What the rules of a kind are; made by whoever composes the server, so that the registry knows no kind. */
export type StrategyOf = (row: KindRow) => Strategy;

/** `prefix` is the store's, without a slash at its end. */
export function resourceInfos(prefix: string, naming: Dialect, strategyOf: StrategyOf): (resource: Resource) => ResourceInfo {
  // Those of custom resources go with their definitions.
  const infos = new WeakMap<Resource, ResourceInfo>();
  return (resource) => {
    let info = infos.get(resource);
    if (info === undefined) {
      info = makeInfo(prefix, naming, strategyOf, resource);
      infos.set(resource, info);
    }
    return info;
  };
}

function makeInfo(prefix: string, naming: Dialect, strategyOf: StrategyOf, resource: Resource): ResourceInfo {
  const { row, hub, stored } = resource;
  const strategy = strategyOf(row);
  const name = NAME_CHECKS[row.nameFormat];
  return {
    ...kindInfo(row),
    resource,
    stored,
    hub,
    converter: hubConverterOf(row, naming),
    versions: versionsOf(row, naming),
    keyPrefix: `${prefix}/${stored.segment}/`,
    strategy,
    resetFields: strategy.resetFields,
    wantsQualifiedFinalizers: row.custom === undefined && row.allowsUnqualifiedFinalizers !== true,
    metadataRules: {
      namespaced: row.namespaced,
      name,
      generateName: prefixFormat(row.nameFormat, name),
    },
    fields: (hub.selectableFields ?? []).map(fieldReader),
    hubCodec: codecOf(hub),
  };
}

/** The plan of a kind of which nothing is stored, and what all plans begin with. */
export function kindInfo(row: KindRow): KindInfo {
  return {
    row,
    hub: row,
    converter: undefined,
    versions: NO_VERSIONS,
    type: row.type,
    kind: row.kind,
    group: row.group,
    apiVersion: apiVersionOf(row),
    gr: { group: row.group, resource: row.resource },
    namespaced: row.namespaced,
    hasStatus: row.subresources?.some((subresource) => subresource.name === 'status') === true,
    codec: codecOf(row),
    hubCodec: codecOf(row),
  };
}

const NO_VERSIONS: ReadonlyMap<string, KindVersion> = new Map();

/** Versions of one group: what another group serves is another kind to whoever owns fields of it (upstream behaviour). */
function versionsOf(row: KindRow, naming: Dialect): ReadonlyMap<string, KindVersion> {
  if (row.custom !== undefined) return customVersions(row, row.custom);
  const others = KNOWN_KINDS.filter((other) => other.group === row.group && other.kind === row.kind && other.resource === row.resource);
  const hub = storedRowOf(row);
  return new Map(
    [row, ...others.filter((other) => storedRowOf(other) === hub)].map((other): [string, KindVersion] => [
      apiVersionOf(other),
      { row: other, converter: hubConverterOf(other, naming) },
    ]),
  );
}

function customVersions({ group, type }: KindRow, custom: CustomVersion): ReadonlyMap<string, KindVersion> {
  return new Map(
    [...custom.versions].map(([version, of]): [string, KindVersion] => [
      apiVersionOf({ group, version }),
      { row: { type, custom: of }, converter: undefined },
    ]),
  );
}

const NAME_CHECKS: Readonly<Record<NameFormat, NameCheck>> = {
  'dns-subdomain': checkDnsSubdomain,
  'dns-label': checkDnsLabel,
  'dns-1035-label': checkDns1035Label,
  'path-segment': checkPathSegment,
  'whole-path-segment': checkPathSegment,
};

function prefixFormat(format: NameFormat | undefined, name: NameCheck): NameCheck {
  switch (format) {
    case 'path-segment':
      return checkPathSegmentPrefix;
    case 'whole-path-segment':
      return checkPathSegment;
    case 'dns-subdomain':
    case 'dns-label':
    case 'dns-1035-label':
    case undefined:
      return namePrefixCheck(name);
  }
}
