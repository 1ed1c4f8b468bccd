/**
 * Checks `limitedResources` of the ResourceQuota configuration: a write that consumes a limited resource, or an object
 * in a limited scope, is rejected unless a quota of the namespace covers it. Messages are upstream's.
 */
import type { GroupResource } from '../../../../shared/api/identity/identity';
import type { InvalidField } from '../../../../shared/configuration/configuration-error';
import type { ConfigurationFormat } from '../../../../shared/configuration/read-configuration';
import { listSchema, objectSchema, stringSchema, enumSchema, type ValueOf } from '../../../../shared/configuration/schema';
import { canonicalGroup, messageInDialect } from '../../../../shared/names/dialect';
import { isInQuotaScopes, type QuotaScopes } from '../../../../shared/quota/scopes';
import { quotaUsageOf } from '../../../../shared/quota/usage';
import type { CountedWrite, Quota } from './usage-delta';

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

/** The format of the configuration file. */
export const QUOTA_FORMAT: ConfigurationFormat<QuotaFile> = {
  kind: 'ResourceQuotaConfiguration',
  apiVersions: ['apiserver.config.platform.io/v1'],
  schema: SCHEMA,
  validate: ({ limitedResources = [] }) =>
    limitedResources.flatMap(({ resource }, index): readonly InvalidField[] =>
      resource === '' ? [{ path: `limitedResources[${index}].resource`, reason: 'must not be empty' }] : [],
    ),
};

/** An entry of `limitedResources`: what objects of a kind need a covering quota for. */
export interface LimitedResource {
  readonly kind: GroupResource;
  /** The entry is for resources with one of these texts in the name, in either spelling: `requests.`, `.storageclass.`. */
  readonly nameParts: readonly string[];
  /** Objects in one of these scopes. */
  readonly scopes: QuotaScopes;
}

/** The entries of a validated file. */
export const readLimitedResources = ({ limitedResources: limited = [] }: QuotaFile): readonly LimitedResource[] =>
  limited.map(({ apiGroup = '', resource, matchContains = [], matchScopes = [] }) => ({
    kind: { group: canonicalGroup(apiGroup), resource },
    nameParts: matchContains,
    scopes: matchScopes.map(({ scopeName, operator, values = [] }) => ({ name: scopeName, operator, values })),
  }));

/** Whether an entry applies to the kind. */
export const isLimitedResource = (limited: readonly LimitedResource[], { group, resource }: GroupResource): boolean =>
  limited.some(({ kind }) => kind.group === group && kind.resource === resource);

/**
 * The message of the rejection when a write adds usage that no quota covers, else `undefined`. `quotas`: those of the
 * namespace that limit the kind.
 */
export function uncoveredMessage(
  limited: readonly LimitedResource[],
  quotas: readonly Quota[],
  { kind, object, old, now }: CountedWrite,
): string | undefined {
  const limitedOfKind = limited.filter((entry) => entry.kind.group === kind.group && entry.kind.resource === kind.resource);
  const quotasOfObject = quotas.filter(({ scopes }) => isInQuotaScopes(kind, object, scopes));

  const limitedScopes = limitedOfKind.flatMap((entry) => entry.scopes).filter((scope) => isInQuotaScopes(kind, object, [scope]));
  const coversScope = (quota: Quota, scopeName: string): boolean => quota.scopes.some(({ name }) => name === scopeName);
  const uncoveredScopes = limitedScopes.filter(({ name }) => !quotasOfObject.some((quota) => coversScope(quota, name)));
  if (uncoveredScopes.length > 0) return `insufficient quota to match these scopes: [${uncoveredScopes.map(scopeText).join(' ')}]`;

  const oldUsage = old === undefined ? undefined : quotaUsageOf(kind, old, now);
  const increased = [...quotaUsageOf(kind, object, now)].filter(([name, { nanos }]) => nanos > (oldUsage?.get(name)?.nanos ?? 0n));
  const nameParts = limitedOfKind.flatMap((entry) => entry.nameParts);
  const uncoveredNames = increased
    .map(([name]) => name)
    .filter((name) => nameParts.some((part) => name.includes(part) || messageInDialect('kubernetes', name).includes(part)))
    .filter((name) => !quotasOfObject.some(({ limits }) => limits.some(({ counted }) => counted === name)));
  return uncoveredNames.length === 0 ? undefined : `insufficient quota to consume: ${uncoveredNames.sort().join(',')}`;
}

const scopeText = ({ name, operator, values }: QuotaScopes[number]): string => `{${name} ${operator} [${values.join(' ')}]}`;
