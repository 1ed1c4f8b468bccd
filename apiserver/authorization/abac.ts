/** Attribute-based access control: what lines of a file allow, one policy a line. Reads the text of the file once; asks nothing stored. */
import { canonicalGroup } from '../../shared/names/dialect';
import { isSameName, pathSpellings } from '../../shared/names/spellings';
import { isObject, objectAt, own, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { matchesPathPattern } from '../../shared/values/path-pattern';
import type { UserInfo } from '../../shared/api/identity/user';
import { ALLOW, type AccessRules, type Attributes, type Authorizer, type Decision } from './authorizer';

/** A line of the file cannot be understood. */
export class PolicyFileError extends Error {}

interface Policy {
  readonly user: string;
  readonly group: string;
  readonly isReadOnly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly path: string;
}

const VERSIONS: ReadonlySet<string> = new Set(['abac.authorization.platform.io/v1beta1', 'abac.authorization.kubernetes.io/v1beta1']);
const MEMBERS: readonly string[] = ['user', 'group', 'namespace', 'resource', 'apiGroup', 'nonResourcePath', 'readonly'];
const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const NO_MATCH: Decision = { type: 'no-opinion', reason: 'No policy matched.' };

/** Throws {@link PolicyFileError}. */
export function abacAuthorizer(file: string, text: string): Authorizer {
  const policies = text.split('\n').flatMap((line, index) => {
    const trimmed = line.trim();
    return trimmed === '' || trimmed.startsWith('#') ? [] : [readPolicy(trimmed, `${file}, line ${index + 1}`)];
  });
  return {
    authorize: (user, attributes) => (policies.some((policy) => isFor(policy, user) && allows(policy, attributes)) ? ALLOW : NO_MATCH),
    rules: (user, namespace) =>
      rulesOf(
        policies.filter((policy) => isFor(policy, user)),
        namespace,
      ),
  };
}

function readPolicy(line: string, place: string): Policy {
  let value: JsonValue;
  try {
    value = JSON.parse(line) as JsonValue;
  } catch {
    throw new PolicyFileError(`${place}: this is not JSON`);
  }
  if (!isObject(value)) throw new PolicyFileError(`${place}: this is no object`);
  const [apiVersion, kind] = [stringAt(value, 'apiVersion') ?? '', stringAt(value, 'kind') ?? ''];
  if (kind !== 'Policy' || !VERSIONS.has(apiVersion))
    throw new PolicyFileError(`${place}: kind Policy of abac.authorization.platform.io/v1beta1 is wanted`);
  const spec = objectAt(value, 'spec');
  if (spec === undefined) throw new PolicyFileError(`${place}: spec is missing`);
  return readSpec(spec, place);
}

function readSpec(spec: JsonObject, place: string): Policy {
  const unknown = Object.keys(spec).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) throw new PolicyFileError(`${place}: there is no spec.${unknown}`);
  const wrong = MEMBERS.find(
    (member) => own(spec, member) !== undefined && typeof own(spec, member) !== (member === 'readonly' ? 'boolean' : 'string'),
  );
  if (wrong !== undefined) throw new PolicyFileError(`${place}: spec.${wrong} is of the wrong type`);
  const text = (member: string): string => stringAt(spec, member) ?? '';
  return {
    user: text('user'),
    group: text('group'),
    isReadOnly: own(spec, 'readonly') === true,
    apiGroup: canonicalGroup(text('apiGroup')),
    resource: text('resource'),
    namespace: text('namespace'),
    path: text('nonResourcePath'),
  };
}

/** Where both are named, both must be; where neither is, nobody is meant. */
function isFor({ user, group }: Policy, { name, groups }: UserInfo): boolean {
  if (user === '' && group === '') return false;
  const isUser = user === '' || user === '*' || isSameName(user, name);
  return isUser && (group === '' || group === '*' || groups.some((one) => isSameName(group, one)));
}

function allows(policy: Policy, attributes: Attributes): boolean {
  if (policy.isReadOnly && !READS.has(attributes.verb)) return false;
  if (attributes.kind === 'path')
    return policy.path !== '' && pathSpellings(attributes.path).some((path) => matchesPathPattern(policy.path, path));
  const { group, resource, namespace } = attributes;
  return matchesNamespace(policy, namespace) && matches(policy.resource, resource) && matches(policy.apiGroup, group);
}

const matches = (pattern: string, text: string): boolean => pattern === '*' || pattern === text;
const matchesNamespace = (policy: Policy, namespace: string): boolean =>
  policy.namespace === '*' || isSameName(policy.namespace, namespace);

function rulesOf(policies: readonly Policy[], namespace: string): AccessRules {
  const verbs = (policy: Policy): readonly string[] => (policy.isReadOnly ? [...READS] : ['*']);
  return {
    resources: policies
      .filter((policy) => policy.resource !== '' && matchesNamespace(policy, namespace))
      .map((policy) => ({ verbs: verbs(policy), groups: [policy.apiGroup], resources: [policy.resource], names: [] })),
    paths: policies.filter(({ path }) => path !== '').map((policy) => ({ verbs: verbs(policy), paths: [policy.path] })),
    incomplete: false,
    errors: [],
  };
}
