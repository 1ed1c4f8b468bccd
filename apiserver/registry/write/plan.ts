/**
 * What the write path needs to know of a resource again and again, worked out once: keys, names in messages, rules. Holds no state.
 */
import { groupResourceText, apiVersionOf, type GroupResource } from '../../../shared/api/identity';
import type { KindRow, NameFormat, SelectableField } from '../../../shared/api/kinds';
import { isObject, own, type JsonObject, type JsonValue } from '../../../shared/api/json';
import { asPrefix, dns1035Label, dnsLabel, dnsSubdomain, pathSegment, pathSegmentPrefix, type NameCheck } from '../../../shared/api/names';
import type { MetadataRules } from '../../../shared/api/validation/object-meta';
import { groupFieldsOf, type GroupFields } from '../../../shared/api/group-fields';
import type { StoredType } from '../../cache/contract';
import type { Resource } from '../contract';
import { STRATEGIES } from '../strategies';
import type { Strategy } from '../strategies/strategy';

/** What is known of a kind whether or not it is stored. */
export interface KindPlan {
  readonly row: KindRow;
  /** Name in the type tables. */
  readonly type: string;
  readonly kind: string;
  readonly group: string;
  readonly apiVersion: string;
  readonly gr: GroupResource;
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
  readonly groupFields: GroupFields;
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

export interface FieldReader {
  readonly name: string;
  read(object: JsonObject): string;
}

/** `prefix` is the store's, without a slash at its end. */
export function planner(prefix: string): (resource: Resource) => Plan {
  const plans = new Map<Resource, Plan>();
  return (resource) => {
    let plan = plans.get(resource);
    if (plan === undefined) {
      plan = makePlan(prefix, resource);
      plans.set(resource, plan);
    }
    return plan;
  };
}

function makePlan(prefix: string, resource: Resource): Plan {
  const { row, stored } = resource;
  const strategy = STRATEGIES.get(groupResourceText(row)) ?? {};
  const name = NAME_CHECKS[row.nameFormat];
  return {
    ...kindPlan(row),
    resource,
    stored,
    keyPrefix: `${prefix}/${stored.segment}/`,
    strategy,
    wantsQualifiedFinalizers: row.group === '' && strategy.kindRulesFirst !== true,
    metadataRules: {
      namespaced: row.namespaced,
      name,
      prefix: row.nameFormat === 'path-segment' ? pathSegmentPrefix : asPrefix(name),
    },
    fields: (row.selectableFields ?? []).map(fieldReader),
  };
}

export function kindPlan(row: KindRow): KindPlan {
  return {
    row,
    type: row.type,
    kind: row.kind,
    group: row.group,
    apiVersion: apiVersionOf(row),
    gr: { group: row.group, resource: row.resource },
    namespaced: row.namespaced,
    hasStatus: row.subresources?.some((subresource) => subresource.name === 'status') === true,
    groupFields: groupFieldsOf(row.type),
  };
}

const NAME_CHECKS: Readonly<Record<NameFormat, NameCheck>> = {
  'dns-subdomain': dnsSubdomain,
  'dns-label': dnsLabel,
  'dns-1035-label': dns1035Label,
  'path-segment': pathSegment,
};

function fieldReader(field: SelectableField): FieldReader {
  const path = field.path.split('.');
  const absent = field.absent ?? '';
  return {
    name: field.name,
    read(object) {
      let value: JsonValue | undefined = object;
      for (const member of path) value = isObject(value) ? own(value, member) : undefined;
      if (typeof value === 'string') return value === '' ? absent : value;
      return typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : absent;
    },
  };
}
