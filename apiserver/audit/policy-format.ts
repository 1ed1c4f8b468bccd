/**
 * The format of the audit policy file, which determines which requests are recorded, and at which level. The validation and
 * its messages are upstream's, except for the name of a group. Evaluating a policy is left to policy.ts.
 */
import { appendAll } from '../../shared/values/append';
import { appendFieldPath, type InvalidField } from '../../shared/configuration/configuration-error';
import type { ConfigurationFormat } from '../../shared/configuration/read-configuration';
import {
  anyObjectSchema,
  booleanSchema,
  listSchema,
  objectSchema,
  stringSchema,
  enumSchema,
  type ValueOf,
} from '../../shared/configuration/schema';

/** The levels of detail, in increasing order. */
export const AUDIT_LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
/** One of {@link AUDIT_LEVELS}. */
export type AuditLevel = (typeof AUDIT_LEVELS)[number];

/** The stages in the order in which a request reaches them; `Panic` replaces `ResponseComplete` after a server error. */
export const AUDIT_STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
/** One of {@link AUDIT_STAGES}. */
export type AuditStage = (typeof AUDIT_STAGES)[number];

const STAGE_LIST_SCHEMA = listSchema(enumSchema(...AUDIT_STAGES));

/** A rule: which requests it matches, and what is recorded of them. */
const RULE_SCHEMA = objectSchema(
  { level: enumSchema(...AUDIT_LEVELS) },
  {
    users: listSchema(stringSchema()),
    userGroups: listSchema(stringSchema()),
    verbs: listSchema(stringSchema()),
    resources: listSchema(
      objectSchema({}, { group: stringSchema(), resources: listSchema(stringSchema()), resourceNames: listSchema(stringSchema()) }),
    ),
    namespaces: listSchema(stringSchema()),
    nonResourceURLs: listSchema(stringSchema()),
    omitStages: STAGE_LIST_SCHEMA,
    omitManagedFields: booleanSchema,
  },
);

const POLICY_SCHEMA = objectSchema(
  { rules: listSchema(RULE_SCHEMA, 1) },
  { metadata: anyObjectSchema, omitStages: STAGE_LIST_SCHEMA, omitManagedFields: booleanSchema },
);

/** The content of the policy file. */
export type Policy = ValueOf<typeof POLICY_SCHEMA>;
/**
 * One rule. An absent or empty list of users, groups, verbs, resources, namespaces or URLs does not restrict which requests
 * the rule matches.
 */
export type AuditRule = ValueOf<typeof RULE_SCHEMA>;
type ResourceRule = NonNullable<AuditRule['resources']>[number];

/** The format of the policy file. */
export const AUDIT_POLICY_FORMAT: ConfigurationFormat<Policy> = {
  kind: 'Policy',
  apiVersions: ['audit.platform.io/v1'],
  schema: POLICY_SCHEMA,
  validate: ({ rules }) => rules.flatMap((rule, index) => validateRule(rule, `rules[${index}]`)),
};

function validateRule({ nonResourceURLs = [], resources = [], namespaces = [] }: AuditRule, path: string): readonly InvalidField[] {
  const errors: InvalidField[] = [];
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    errors.push({
      path: appendFieldPath(path, 'nonResourceURLs'),
      reason: 'rules cannot apply to both regular resources and non-resource URLs',
    });
  }
  nonResourceURLs.forEach((url, index) => {
    const reason = validateNonResourceUrl(url);
    if (reason !== undefined) errors.push({ path: `${path}.nonResourceURLs[${index}]`, reason });
  });
  resources.forEach((resource, index) => appendAll(errors, validateResourceRule(resource, `${path}.resources[${index}]`)));
  return errors;
}

/** Returns the reason why the URL is invalid. */
function validateNonResourceUrl(url: string): string | undefined {
  if (url === '*') return undefined;
  if (!url.startsWith('/')) return "non-resource URLs must start with '/', unless the URL is '*'";
  return url.slice(0, -1).includes('*') ? 'non-resource URLs wildcards must be the final character of the rule' : undefined;
}

/** The characters of group names: `apps`, `example.com` or '' for the core group. */
const GROUP = /^[a-z0-9.-]*$/;
/** The longest DNS name. */
const MAX_GROUP_LENGTH = 253;

function validateResourceRule({ group = '', resources = [], resourceNames = [] }: ResourceRule, path: string): readonly InvalidField[] {
  const errors: InvalidField[] = [];
  if (!GROUP.test(group) || group.length > MAX_GROUP_LENGTH)
    errors.push({ path: `${path}.group`, reason: 'must be the name of an API group, without a version' });
  if (resourceNames.length > 0 && resources.length === 0) {
    errors.push({ path: `${path}.resourceNames`, reason: 'using resourceNames requires at least one resource' });
  }
  return errors;
}
