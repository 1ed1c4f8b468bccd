/** The file that says which requests are recorded, and how much of them: kind Policy of group audit. Its rules are upstream's. */
import { append } from '../../shared/values/append';
import { memberPath, type Fault } from '../../shared/configuration/configuration-error';
import type { Format } from '../../shared/configuration/read-configuration';
import { anyObject, flag, listOf, object, text, word, type Configured } from '../../shared/configuration/schema';

/** In growing order. */
export const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof LEVELS)[number];

export const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStage = (typeof STAGES)[number];

const STAGE_LIST = listOf(word(...STAGES));

const RULE = object(
  { level: word(...LEVELS) },
  {
    users: listOf(text()),
    userGroups: listOf(text()),
    verbs: listOf(text()),
    resources: listOf(object({}, { group: text(), resources: listOf(text()), resourceNames: listOf(text()) })),
    namespaces: listOf(text()),
    nonResourceURLs: listOf(text()),
    omitStages: STAGE_LIST,
    omitManagedFields: flag,
  },
);

const POLICY = object({ rules: listOf(RULE, 1) }, { metadata: anyObject, omitStages: STAGE_LIST, omitManagedFields: flag });

export type Policy = Configured<typeof POLICY>;
export type AuditRule = Configured<typeof RULE>;
type ResourceRule = NonNullable<AuditRule['resources']>[number];

export const POLICY_FORMAT: Format<Policy> = {
  kind: 'Policy',
  apiVersions: ['audit.platform.io/v1'],
  schema: POLICY,
  rules: ({ rules }) => rules.flatMap((rule, index) => ruleFaults(rule, `rules[${index}]`)),
};

function ruleFaults({ nonResourceURLs = [], resources = [], namespaces = [] }: AuditRule, path: string): readonly Fault[] {
  const faults: Fault[] = [];
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    faults.push({
      path: memberPath(path, 'nonResourceURLs'),
      reason: 'rules cannot apply to both regular resources and non-resource URLs',
    });
  }
  nonResourceURLs.forEach((url, index) => {
    const reason = urlFault(url);
    if (reason !== undefined) faults.push({ path: `${path}.nonResourceURLs[${index}]`, reason });
  });
  resources.forEach((resource, index) => append(faults, resourceFaults(resource, `${path}.resources[${index}]`)));
  return faults;
}

function urlFault(url: string): string | undefined {
  if (url === '*') return undefined;
  if (!url.startsWith('/')) return "non-resource URLs must start with '/', unless the URL is '*'";
  return url.slice(0, -1).includes('*') ? 'non-resource URLs wildcards must be the final character of the rule' : undefined;
}

const GROUP = /^[a-z0-9.-]*$/;

function resourceFaults({ group = '', resources = [], resourceNames = [] }: ResourceRule, path: string): readonly Fault[] {
  const faults: Fault[] = [];
  if (!GROUP.test(group) || group.length > 253)
    faults.push({ path: `${path}.group`, reason: 'must be the name of an API group, without a version' });
  if (resourceNames.length > 0 && resources.length === 0) {
    faults.push({ path: `${path}.resourceNames`, reason: 'using resourceNames requires at least one resource' });
  }
  return faults;
}
