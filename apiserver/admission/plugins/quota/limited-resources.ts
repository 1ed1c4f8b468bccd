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

const SCOPE_SCHEMA = objectSchema(
  { scopeName: enumSchema(...SCOPES), operator: enumSchema(...OPERATORS) },
  { values: listSchema(stringSchema()) },
);
const LIMITED_RESOURCE_SCHEMA = objectSchema(
  { resource: stringSchema() },
  { apiGroup: stringSchema(), matchContains: listSchema(stringSchema()), matchScopes: listSchema(SCOPE_SCHEMA) },
);
const FILE_SCHEMA = objectSchema({}, { limitedResources: listSchema(LIMITED_RESOURCE_SCHEMA) });
type QuotaFile = ValueOf<typeof FILE_SCHEMA>;

/** The format of the configuration file. */
export const QUOTA_FORMAT: ConfigurationFormat<QuotaFile> = {
  kind: 'ResourceQuotaConfiguration',
  apiVersions: ['apiserver.config.platform.io/v1'],
  schema: FILE_SCHEMA,
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
export const readLimitedResources = ({ limitedResources = [] }: QuotaFile): readonly LimitedResource[] =>
  limitedResources.map(({ apiGroup = '', resource, matchContains = [], matchScopes = [] }) => ({
    kind: { group: canonicalGroup(apiGroup), resource },
    nameParts: matchContains,
    scopes: matchScopes.map(({ scopeName, operator, values = [] }) => ({ name: scopeName, operator, values })),
  }));

/** Whether an entry applies to the kind. */
export const isLimitedResource = (limitedResources: readonly LimitedResource[], { group, resource }: GroupResource): boolean =>
  limitedResources.some(({ kind }) => kind.group === group && kind.resource === resource);

/**
 * The message of the rejection when a write adds usage that no quota covers, else `undefined`. `quotas`: those of the
 * namespace that limit the kind.
 */
export function uncoveredMessage(
  limitedResources: readonly LimitedResource[],
  quotas: readonly Quota[],
  write: CountedWrite,
): string | undefined {
  const { kind, object } = write;
  const limitedOfKind = limitedResources.filter((limited) => limited.kind.group === kind.group && limited.kind.resource === kind.resource);
  const quotasOfObject = quotas.filter(({ scopes }) => isInQuotaScopes(kind, object, scopes));
  return uncoveredScopesMessage(limitedOfKind, quotasOfObject, write) ?? uncoveredUsageMessage(limitedOfKind, quotasOfObject, write);
}

/** For an object in a limited scope: some quota must have the scope. */
function uncoveredScopesMessage(
  limitedOfKind: readonly LimitedResource[],
  quotasOfObject: readonly Quota[],
  { kind, object }: CountedWrite,
): string | undefined {
  const limitedScopes = limitedOfKind.flatMap(({ scopes }) => scopes).filter((scope) => isInQuotaScopes(kind, object, [scope]));
  const coveredNames = new Set(quotasOfObject.flatMap(({ scopes }) => scopes.map(({ name }) => name)));
  const uncovered = limitedScopes.filter(({ name }) => !coveredNames.has(name));
  return uncovered.length === 0 ? undefined : `insufficient quota to match these scopes: [${uncovered.map(scopeText).join(' ')}]`;
}

/** For usage of a limited resource: some quota must limit the resource. */
function uncoveredUsageMessage(
  limitedOfKind: readonly LimitedResource[],
  quotasOfObject: readonly Quota[],
  { kind, object, old, now }: CountedWrite,
): string | undefined {
  const oldUsage = old === undefined ? undefined : quotaUsageOf(kind, old, now);
  const nameParts = limitedOfKind.flatMap((limited) => limited.nameParts);
  const coveredNames = new Set(quotasOfObject.flatMap(({ limits }) => limits.map(({ counted }) => counted)));
  const isLimited = (name: string): boolean =>
    nameParts.some((part) => name.includes(part) || messageInDialect('kubernetes', name).includes(part));
  const uncovered: string[] = [];
  for (const [name, { nanos }] of quotaUsageOf(kind, object, now)) {
    const isIncreased = nanos > (oldUsage?.get(name)?.nanos ?? 0n);
    if (isIncreased && isLimited(name) && !coveredNames.has(name)) uncovered.push(name);
  }
  return uncovered.length === 0 ? undefined : `insufficient quota to consume: ${uncovered.sort().join(',')}`;
}

const scopeText = ({ name, operator, values }: QuotaScopes[number]): string => `{${name} ${operator} [${values.join(' ')}]}`;
