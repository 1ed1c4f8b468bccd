/**
 * What nobody uses in a namespace unless a quota speaks of it: resources whose names contain one of some texts, and pods in some scopes. Says what is missing, in upstream's words.
 */
import type { GroupResource } from '../../../shared/api/identity/identity';
import type { ConfigurationFault } from '../../../shared/configuration/configuration-error';
import type { ConfigurationFormat } from '../../../shared/configuration/read-configuration';
import { listSchema, objectSchema, stringSchema, enumSchema, type ValueOf } from '../../../shared/configuration/schema';
import { canonicalGroup, messageInDialect } from '../../../shared/names/dialect';
import { isInQuotaScopes, type QuotaScopes } from '../../../shared/quota/scopes';
import { quotaUsageOf } from '../../../shared/quota/usage';
import type { JsonObject } from '../../../shared/values/json';
import type { Quota } from './charge';

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;
const SCOPES = ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'PriorityClass', 'CrossNamespacePodAffinity'] as const;

const SCOPE = objectSchema(
  { scopeName: enumSchema(...SCOPES), operator: enumSchema(...OPERATORS) },
  { values: listSchema(stringSchema()) },
);
const LIMITED = objectSchema(
  { resource: stringSchema() },
  { apiGroup: stringSchema(), matchContains: listSchema(stringSchema()), matchScopes: listSchema(SCOPE) },
);
const SCHEMA = objectSchema({}, { limitedResources: listSchema(LIMITED) });
type QuotaFile = ValueOf<typeof SCHEMA>;

export const QUOTA_FORMAT: ConfigurationFormat<QuotaFile> = {
  kind: 'ResourceQuotaConfiguration',
  apiVersions: ['apiserver.config.platform.io/v1'],
  schema: SCHEMA,
  validate: ({ limitedResources = [] }) =>
    limitedResources.flatMap(({ resource }, index): readonly ConfigurationFault[] =>
      resource === '' ? [{ path: `limitedResources[${index}].resource`, reason: 'must not be empty' }] : [],
    ),
};

export interface LimitedResource {
  readonly kind: GroupResource;
  /** In either spelling. */
  readonly contains: readonly string[];
  readonly scopes: QuotaScopes;
}

export const limitedResources = ({ limitedResources: limited = [] }: QuotaFile): readonly LimitedResource[] =>
  limited.map(({ apiGroup = '', resource, matchContains = [], matchScopes = [] }) => ({
    kind: { group: canonicalGroup(apiGroup), resource },
    contains: matchContains,
    scopes: matchScopes.map(({ scopeName, operator, values = [] }) => ({ name: scopeName, operator, values })),
  }));

export const isLimited = (limited: readonly LimitedResource[], { group, resource }: GroupResource): boolean =>
  limited.some(({ kind }) => kind.group === group && kind.resource === resource);

/** Why it may not be used; undefined = nothing is missing. `quotas`: those of the namespace that speak of the kind. `now`: milliseconds since 1970. */
export function uncovered(
  limited: readonly LimitedResource[],
  kind: GroupResource,
  quotas: readonly Quota[],
  [object, old]: readonly [JsonObject, JsonObject | undefined],
  now: number,
): string | undefined {
  const meant = limited.filter((one) => one.kind.group === kind.group && one.kind.resource === kind.resource);
  const matching = quotas.filter(({ scopes }) => isInQuotaScopes(kind, object, scopes));
  const scopes = meant.flatMap((one) => one.scopes).filter((scope) => isInQuotaScopes(kind, object, [scope]));
  const free = scopes.filter(({ name }) => !matching.some((quota) => quota.scopes.some((scope) => scope.name === name)));
  if (free.length > 0) return `insufficient quota to match these scopes: [${free.map(scopeText).join(' ')}]`;
  const before = old === undefined ? undefined : quotaUsageOf(kind, old, now);
  const used = [...quotaUsageOf(kind, object, now)].filter(([name, { nanos }]) => nanos > (before?.get(name)?.nanos ?? 0n));
  const contains = meant.flatMap((one) => one.contains);
  const missing = used
    .map(([name]) => name)
    .filter((name) => contains.some((part) => name.includes(part) || messageInDialect('kubernetes', name).includes(part)))
    .filter((name) => !matching.some(({ limits }) => limits.some(({ counted }) => counted === name)));
  return missing.length === 0 ? undefined : `insufficient quota to consume: ${missing.sort().join(',')}`;
}

const scopeText = ({ name, operator, values }: QuotaScopes[number]): string => `{${name} ${operator} [${values.join(' ')}]}`;
