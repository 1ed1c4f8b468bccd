/**
 * Facts about a resource that every write needs, computed once: store keys, names in messages, codecs, validation
 * rules. Immutable.
 */
import { apiVersionOf } from '../../../shared/api/identity/identity';
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

/** Facts about a kind, whether or not its objects are stored. */
export interface KindInfo {
  readonly row: KindRow;
  /** The row of the storage version. Validation, admission and storage use this version only. */
  readonly hub: KindRow;
  /** Codecs of the served version and of the storage version. */
  readonly codec: KindCodec;
  readonly hubCodec: KindCodec;
  /** `undefined` when the served version is the storage version. */
  readonly converter: HubConverter | undefined;
  /** All versions that objects can be converted to, served or not, by apiVersion. */
  readonly versions: ReadonlyMap<string, KindVersion>;
  /** `apps/v1`, in canonical spelling. */
  readonly apiVersion: string;
  /** Whether the kind has a status endpoint. */
  readonly hasStatus: boolean;
  /** Fields that each endpoint resets, for kinds where they do not follow from the row. */
  readonly resetFields?: ResetFields | undefined;
}

/** Facts about a resource with stored objects. */
export interface ResourceInfo extends KindInfo {
  readonly resource: Resource;
  readonly stored: StoredType;
  /** Prefix of the store keys of this resource; an entry's key follows it. */
  readonly keyPrefix: string;
  readonly strategy: Strategy;
  readonly metadataRules: MetadataRules;
  /** Finalizers must have a domain. */
  readonly requiresQualifiedFinalizers: boolean;
  /** Readers of the selectable fields, for the headers of stored values. */
  readonly fields: readonly FieldReader[];
}

/**
 * A version of a kind. `converter`: to and from the storage version; `undefined` for that version, and for custom
 * kinds.
 */
export interface KindVersion {
  readonly row: Pick<KindRow, 'custom' | 'type'>;
  readonly converter: HubConverter | undefined;
}

/** Whether conversion of this kind to another version needs a webhook. */
export const needsConversionWebhook = ({ row }: Pick<KindInfo, 'row'>): boolean => row.custom?.webhook !== undefined;

/** Converts a decoded object, with the defaults of its version, to the storage version. */
export function toHub({ converter }: KindInfo, object: JsonObject): JsonObject {
  return converter === undefined ? object : converter.toHub(object);
}

/** Converts a stored object to the served version. */
export function toServed({ converter }: KindInfo, object: JsonObject): JsonObject {
  return converter === undefined ? object : converter.fromHub(object);
}

/** Returns the strategy of a kind. Injected at start, so that the registry does not import kinds. */
export type StrategyOf = (row: KindRow) => Strategy;

/**
 * Returns the facts about a resource, which are computed at the first call for it. `prefix`: key prefix of the store,
 * without a trailing slash.
 */
export function createResourceInfoLookup(prefix: string, naming: Dialect, strategyOf: StrategyOf): (resource: Resource) => ResourceInfo {
  // A WeakMap, so that entries of custom resources are collected together with their definitions.
  const infos = new WeakMap<Resource, ResourceInfo>();
  return (resource) => {
    let info = infos.get(resource);
    if (info === undefined) {
      info = makeResourceInfo(prefix, naming, strategyOf, resource);
      infos.set(resource, info);
    }
    return info;
  };
}

function makeResourceInfo(prefix: string, naming: Dialect, strategyOf: StrategyOf, resource: Resource): ResourceInfo {
  const { row, hub, stored } = resource;
  const strategy = strategyOf(row);
  return {
    ...makeKindInfo(row),
    resource,
    stored,
    hub,
    converter: hubConverterOf(row, naming),
    versions: versionsOf(row, naming),
    keyPrefix: `${prefix}/${stored.segment}/`,
    strategy,
    resetFields: strategy.resetFields,
    requiresQualifiedFinalizers: row.custom === undefined && row.allowsUnqualifiedFinalizers !== true,
    metadataRules: { namespaced: row.namespaced, ...NAME_CHECKS[row.nameFormat] },
    fields: (hub.selectableFields ?? []).map(fieldReader),
    hubCodec: codecOf(hub),
  };
}

const NO_VERSIONS: ReadonlyMap<string, KindVersion> = new Map();

/**
 * The facts about a kind, as if it were its own storage version: all that is needed for kinds that are not stored, and
 * the base of {@link ResourceInfo}.
 */
export function makeKindInfo(row: KindRow): KindInfo {
  return {
    row,
    hub: row,
    converter: undefined,
    versions: NO_VERSIONS,
    apiVersion: apiVersionOf(row),
    hasStatus: row.subresources?.some((subresource) => subresource.name === 'status') === true,
    codec: codecOf(row),
    hubCodec: codecOf(row),
  };
}

/**
 * Only versions of the same group: a kind of another group is a different kind in managedFields (upstream behaviour).
 */
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
    [...custom.versions].map(([version, customVersion]): [string, KindVersion] => [
      apiVersionOf({ group, version }),
      { row: { type, custom: customVersion }, converter: undefined },
    ]),
  );
}

type NameChecks = Pick<MetadataRules, 'generateName' | 'name'>;

const dnsChecks = (name: NameCheck): NameChecks => ({ name, generateName: namePrefixCheck(name) });

const NAME_CHECKS: Readonly<Record<NameFormat, NameChecks>> = {
  'dns-subdomain': dnsChecks(checkDnsSubdomain),
  'dns-label': dnsChecks(checkDnsLabel),
  'dns-1035-label': dnsChecks(checkDns1035Label),
  'path-segment': { name: checkPathSegment, generateName: checkPathSegmentPrefix },
  'whole-path-segment': { name: checkPathSegment, generateName: checkPathSegment },
};
