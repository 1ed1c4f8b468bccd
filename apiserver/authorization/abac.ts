/**
 * Attribute-based access control: the policies of a file, one JSON object per line. The file is parsed once. A policy
 * only allows: a request that none matches is left to the next authorizer.
 */
import { canonicalGroup } from '../../shared/names/dialect';
import { isSameName, pathSpellings } from '../../shared/names/spellings';
import { isObject, objectAt, ownMember, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { matchesPathPattern } from '../../shared/values/text/path-pattern';
import type { UserInfo } from '../../shared/api/identity/user';
import { ALLOW, type AccessRules, type Attributes, type Authorizer, type Decision } from './authorizer';

/** A line of the policy file is invalid; the message names it. */
export class PolicyFileError extends Error {}

/** A line of the file. `*` matches every value; '' stands for an absent member. */
interface Policy {
  readonly user: string;
  readonly group: string;
  /** Whether only {@link READS} are allowed. */
  readonly isReadOnly: boolean;
  /** In canonical spelling. */
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  /** A path outside the resource API; a trailing `*` matches any suffix. */
  readonly path: string;
}

const VERSIONS: ReadonlySet<string> = new Set(['abac.authorization.platform.io/v1beta1', 'abac.authorization.kubernetes.io/v1beta1']);
/** The members that the `spec` of a policy can have: `readonly` is a boolean, the others are texts. */
const MEMBERS: readonly string[] = ['user', 'group', 'namespace', 'resource', 'apiGroup', 'nonResourcePath', 'readonly'];
const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const NO_MATCH: Decision = { type: 'no-opinion', reason: 'No policy matched.' };

/** Creates the authorizer from the text of a policy file; `file` names it in errors. Throws {@link PolicyFileError} for the first invalid line. */
export function abacAuthorizer(file: string, text: string): Authorizer {
  const policies: Policy[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim();
    const isIgnored = trimmed === '' || trimmed.startsWith('#');
    if (!isIgnored) policies.push(readPolicy(trimmed, `${file}, line ${index + 1}`));
  }
  return {
    authorize: (user, attributes) => (policies.some((policy) => isForUser(policy, user) && allows(policy, attributes)) ? ALLOW : NO_MATCH),
    rules(user, namespace) {
      const userPolicies = policies.filter((policy) => isForUser(policy, user));
      return accessRules(userPolicies, namespace);
    },
  };
}

/** Reads a line. `location` names it in errors. Throws {@link PolicyFileError}. */
function readPolicy(line: string, location: string): Policy {
  let value: JsonValue;
  try {
    value = JSON.parse(line) as JsonValue;
  } catch {
    throw new PolicyFileError(`${location}: not valid JSON`);
  }
  if (!isObject(value)) throw new PolicyFileError(`${location}: not an object`);
  const apiVersion = stringAt(value, 'apiVersion') ?? '';
  const kind = stringAt(value, 'kind') ?? '';
  if (kind !== 'Policy' || !VERSIONS.has(apiVersion))
    throw new PolicyFileError(`${location}: must have kind Policy and apiVersion abac.authorization.platform.io/v1beta1`);
  const spec = objectAt(value, 'spec');
  if (spec === undefined) throw new PolicyFileError(`${location}: spec is missing`);
  return readSpec(spec, location);
}

function readSpec(spec: JsonObject, location: string): Policy {
  const unknown = Object.keys(spec).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) throw new PolicyFileError(`${location}: unknown field spec.${unknown}`);
  const mistyped = MEMBERS.find((member) => {
    const value = ownMember(spec, member);
    return value !== undefined && typeof value !== (member === 'readonly' ? 'boolean' : 'string');
  });
  if (mistyped !== undefined) throw new PolicyFileError(`${location}: spec.${mistyped} is of the wrong type`);
  const text = (member: string): string => stringAt(spec, member) ?? '';
  return {
    user: text('user'),
    group: text('group'),
    isReadOnly: ownMember(spec, 'readonly') === true,
    apiGroup: canonicalGroup(text('apiGroup')),
    resource: text('resource'),
    namespace: text('namespace'),
    path: text('nonResourcePath'),
  };
}

/** When a policy has a user and a group, both must match. A policy with neither is for no user. */
function isForUser({ user, group }: Policy, { name, groups }: UserInfo): boolean {
  if (user === '' && group === '') return false;
  const isUser = user === '' || user === '*' || isSameName(user, name);
  return isUser && (group === '' || group === '*' || groups.some((userGroup) => isSameName(group, userGroup)));
}

function allows(policy: Policy, attributes: Attributes): boolean {
  if (policy.isReadOnly && !READS.has(attributes.verb)) return false;
  if (attributes.kind === 'path')
    return policy.path !== '' && pathSpellings(attributes.path).some((path) => matchesPathPattern(policy.path, path));
  const { group, resource, namespace } = attributes;
  return matchesNamespace(policy, namespace) && matchesPattern(policy.resource, resource) && matchesPattern(policy.apiGroup, group);
}

const matchesPattern = (pattern: string, text: string): boolean => pattern === '*' || pattern === text;
const matchesNamespace = (policy: Policy, namespace: string): boolean =>
  policy.namespace === '*' || isSameName(policy.namespace, namespace);

/** The permissions of the policies in a namespace. */
function accessRules(policies: readonly Policy[], namespace: string): AccessRules {
  const verbs = (policy: Policy): readonly string[] => (policy.isReadOnly ? [...READS] : ['*']);
  return {
    resources: policies
      .filter((policy) => policy.resource !== '' && matchesNamespace(policy, namespace))
      .map((policy) => ({ verbs: verbs(policy), groups: [policy.apiGroup], resources: [policy.resource], names: [] })),
    paths: policies.filter(({ path }) => path !== '').map((policy) => ({ verbs: verbs(policy), paths: [policy.path] })),
    isIncomplete: false,
    errors: [],
  };
}
