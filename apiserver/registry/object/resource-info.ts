/**
 * What the write path needs to know of a resource again and again, worked out once: keys, names in messages, rules. Holds no state.
 */
import { apiVersionOf, type GroupResource } from '../../../shared/api/identity/identity';
import type { CustomVersion } from '../../../shared/api/structural/version';
import { converterOf, type Converter } from '../../../shared/api/conversion';
import { KNOWN_KINDS, storedRowOf, type KindRow, type NameFormat } from '../../../shared/api/kinds';
import type { JsonObject } from '../../../shared/values/json';
import {
  asPrefix,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  pathSegment,
  pathSegmentPrefix,
  type NameCheck,
} from '../../../shared/values/name-formats';
import type { MetadataRules } from '../../../shared/api/metadata/object-meta-rules';
import { formOf, type Form } from '../../../shared/api/codec/codec';
import type { Dialect } from '../../../shared/names/dialect';
import type { StoredType } from '../../cache/cache';
import type { Resource } from '../verbs';
import { fieldReader, type FieldReader } from './field-reader';
import type { Strategy } from '../strategy';

/** What is known of a kind whether or not it is stored. */
export interface KindPlan {
  readonly row: KindRow;
  /** The row of the version in which objects are stored; rules, admission and storage know no other. */
  readonly hub: KindRow;
  /** Name in the type tables, of the version that is served. */
  readonly type: string;
  /** What is done with objects as they are served, and as they are stored. */
  readonly form: Form;
  readonly hubForm: Form;
  /** Absent where both are one. */
  readonly converter: Converter | undefined;
  /** All versions of the kind that objects can be converted to, served or not. */
  readonly versions: ReadonlyMap<string, VersionOfKind>;
  readonly kind: string;
  readonly group: string;
  readonly apiVersion: string;
  readonly gr: GroupResource;
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
}

export interface Plan extends KindPlan {
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

export interface VersionOfKind {
  readonly row: Pick<KindRow, 'custom' | 'type'>;
  readonly converter: Converter | undefined;
}

/** An object that was sent, decoded and with its version's defaults, as one that can be stored. */
export function toHub({ converter }: KindPlan, object: JsonObject): JsonObject {
  return converter === undefined ? object : converter.toHub(object);
}

/** A stored object in the version that is served. */
export function toServed({ converter }: KindPlan, object: JsonObject): JsonObject {
  return converter === undefined ? object : converter.fromHub(object);
}

/** What the rules of a kind are; made by whoever composes the server, so that the registry knows no kind. */
export type StrategyOf = (row: KindRow) => Strategy;

/** `prefix` is the store's, without a slash at its end. */
export function planner(prefix: string, naming: Dialect, strategyOf: StrategyOf): (resource: Resource) => Plan {
  // Those of custom resources go with their definitions.
  const plans = new WeakMap<Resource, Plan>();
  return (resource) => {
    let plan = plans.get(resource);
    if (plan === undefined) {
      plan = makePlan(prefix, naming, strategyOf, resource);
      plans.set(resource, plan);
    }
    return plan;
  };
}

function makePlan(prefix: string, naming: Dialect, strategyOf: StrategyOf, resource: Resource): Plan {
  const { row, hub, stored } = resource;
  const strategy = strategyOf(row);
  const name = NAME_CHECKS[row.nameFormat];
  return {
    ...kindPlan(row),
    resource,
    stored,
    hub,
    converter: converterOf(row, naming),
    versions: versionsOf(row, naming),
    keyPrefix: `${prefix}/${stored.segment}/`,
    strategy,
    wantsQualifiedFinalizers: row.custom === undefined && row.looseFinalizers !== true && strategy.kindRulesFirst !== true,
    metadataRules: {
      namespaced: row.namespaced,
      name,
      prefix: row.nameFormat === 'path-segment' ? pathSegmentPrefix : asPrefix(name),
    },
    fields: (hub.selectableFields ?? []).map(fieldReader),
    hubForm: formOf(hub),
  };
}

/** The plan of a kind of which nothing is stored, and what all plans begin with. */
export function kindPlan(row: KindRow): KindPlan {
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
    form: formOf(row),
    hubForm: formOf(row),
  };
}

const NO_VERSIONS: ReadonlyMap<string, VersionOfKind> = new Map();

/** Versions of one group: what another group serves is another kind to whoever owns fields of it (upstream behaviour). */
function versionsOf(row: KindRow, naming: Dialect): ReadonlyMap<string, VersionOfKind> {
  if (row.custom !== undefined) return customVersions(row, row.custom);
  const others = KNOWN_KINDS.filter((other) => other.group === row.group && other.kind === row.kind && other.resource === row.resource);
  const hub = storedRowOf(row);
  return new Map(
    [row, ...others.filter((other) => storedRowOf(other) === hub)].map((other): [string, VersionOfKind] => [
      apiVersionOf(other),
      { row: other, converter: converterOf(other, naming) },
    ]),
  );
}

/** They differ in nothing but their name and their schema. */
function customVersions({ group, type }: KindRow, custom: CustomVersion): ReadonlyMap<string, VersionOfKind> {
  return new Map(
    [...custom.versions].map(([version, schema]): [string, VersionOfKind] => [
      apiVersionOf({ group, version }),
      { row: { type, custom: { ...custom, schema } }, converter: undefined },
    ]),
  );
}

const NAME_CHECKS: Readonly<Record<NameFormat, NameCheck>> = {
  'dns-subdomain': dnsSubdomain,
  'dns-label': dnsLabel,
  'dns-1035-label': dns1035Label,
  'path-segment': pathSegment,
};
