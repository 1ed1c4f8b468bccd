/**
 * Converts the default policy to roles and bindings in the naming of this server. Returns new objects; comparing them
 * with stored ones is up to reconcile-action.ts.
 */
import { messageInDialect, type GeneratedNames } from '../../../shared/names/dialect';
import { readRule, type PolicyRule } from '../../authorization/rbac/rule';
import { TOKEN_TRACKING_CONFIG_MAP } from '../../../shared/names/legacy-token';
import type {
  MetaV1ObjectMeta,
  RbacV1ClusterRole,
  RbacV1ClusterRoleBinding,
  RbacV1PolicyRule,
  RbacV1Role,
  RbacV1RoleBinding,
} from '../../../shared/api/types/generated/members';
import { CONTROLLER_RULES } from './controller-policy';
import {
  AGGREGATED_CLUSTER_ROLES,
  BINDINGS,
  CLUSTER_BINDINGS,
  CLUSTER_ROLES,
  ROLES,
  type BindingRow,
  type RoleRow,
  type SystemNamespace,
} from './policy';

/** Plural resource names. */
export type RbacKind = 'clusterroles' | 'clusterrolebindings' | 'roles' | 'rolebindings';

/** A role or a binding. Only bindings have a `roleRef`. */
export type RbacObject = RbacV1ClusterRole & RbacV1Role & RbacV1ClusterRoleBinding & RbacV1RoleBinding;

/** A role or binding that should exist. */
export interface DefaultObject {
  readonly kind: RbacKind;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  readonly object: RbacObject;
}

const GROUP = 'rbac.authorization.platform.io';
const CONTROLLER_ROLE_PREFIX = 'system:controller:';
/** The domain of names such as `platform.io/kubelet-serving`. */
const CANONICAL_DOMAIN = /^platform\.io\//;

/** The annotation that controls whether a default object is restored. */
export const autoUpdateAnnotation = ({ prefix }: GeneratedNames): string => `rbac.authorization.${prefix}/autoupdate`;

/** Roles come before the bindings that refer to them. */
export function defaultObjects(names: GeneratedNames): readonly DefaultObject[] {
  const makers = objectMakers(names);
  const controllers = Object.entries(CONTROLLER_RULES);
  return [
    ...AGGREGATED_CLUSTER_ROLES.map((row) => makers.aggregated(row)),
    ...CLUSTER_ROLES.map((row) => makers.role(undefined, row)),
    ...controllers.map(([name, rules]) => makers.role(undefined, { name: CONTROLLER_ROLE_PREFIX + name, rules })),
    ...ROLES.map((row) => makers.role(row.namespace, row)),
    ...CLUSTER_BINDINGS.map((row) => makers.binding(undefined, row)),
    ...controllers.map(([name]) => makers.binding(undefined, { name: CONTROLLER_ROLE_PREFIX + name, accounts: [name] })),
    ...BINDINGS.map((row) => makers.binding(row.namespace, row)),
  ];
}

/** The rules of the role `system:node`, which every node has whether or not the role is bound to it. */
export function nodeRules(names: GeneratedNames): readonly PolicyRule[] {
  const row = CLUSTER_ROLES.find(({ name }) => name === 'system:node');
  return (row?.rules ?? []).map((text) => readRule(ruleOf(text, names)));
}

/** Makes the objects of the rows of the policy. */
interface ObjectMakers {
  aggregated(row: Omit<RoleRow, 'rules'>): DefaultObject;
  /** `namespace`: `undefined` for a ClusterRole. */
  role(namespace: SystemNamespace | undefined, row: RoleRow): DefaultObject;
  binding(namespace: SystemNamespace | undefined, row: BindingRow): DefaultObject;
}

function objectMakers(names: GeneratedNames): ObjectMakers {
  const { systemNamespace, publicNamespace, prefix, dialect } = names;
  const spelled = (text: string): string => messageInDialect(dialect, text);
  const namespaces = { system: systemNamespace, public: publicNamespace };
  const metadata = (name: string, labels: Readonly<Record<string, string>> = {}): MetaV1ObjectMeta => ({
    name,
    labels: { [`${prefix}/bootstrapping`]: 'rbac-defaults', ...labels },
    annotations: { [autoUpdateAnnotation(names)]: 'true' },
  });
  const toObject = (
    kind: 'role' | 'rolebinding',
    namespace: SystemNamespace | undefined,
    name: string,
    object: RbacObject,
  ): DefaultObject =>
    namespace === undefined
      ? { kind: `cluster${kind}s`, namespace: '', name, object }
      : { kind: `${kind}s`, namespace: namespaces[namespace], name, object };
  const labelsOf = ({ aggregatesTo: role }: Pick<RoleRow, 'aggregatesTo'>): Readonly<Record<string, string>> =>
    role === undefined ? {} : { [spelled(aggregationLabel(role))]: 'true' };

  return {
    aggregated(row) {
      const { name } = row;
      const label = aggregationLabel(name);
      // Helm charts label aggregated roles in the Kubernetes spelling, so a server with the other one selects both.
      const labels = dialect === 'platform' ? [label, messageInDialect('kubernetes', label)] : [spelled(label)];
      const clusterRoleSelectors = labels.map((selected) => ({ matchLabels: { [selected]: 'true' } }));
      return toObject('role', undefined, name, {
        metadata: metadata(name, labelsOf(row)),
        aggregationRule: { clusterRoleSelectors },
        rules: [],
      });
    },
    role(namespace, row) {
      const name = spelled(row.name);
      return toObject('role', namespace, name, {
        metadata: metadata(name, labelsOf(row)),
        rules: row.rules.map((text) => ruleOf(text, names)),
      });
    },
    binding(namespace, row) {
      const { name, users = [], groups = [], accounts = [] } = row;
      const kind = namespace === undefined ? 'ClusterRole' : 'Role';
      const subjects = [
        ...groups.map((group) => ({ kind: 'Group', apiGroup: GROUP, name: group })),
        ...users.map((user) => ({ kind: 'User', apiGroup: GROUP, name: user })),
        ...accounts.map((account) => ({ kind: 'ServiceAccount', name: account, namespace: systemNamespace })),
      ];
      const roleRef = { apiGroup: GROUP, kind, name: row.role ?? name };
      return toObject('rolebinding', namespace, name, {
        metadata: metadata(name),
        roleRef,
        ...(subjects.length === 0 ? {} : { subjects }),
      });
    },
  };
}

const aggregationLabel = (role: string): string => `${GROUP}/aggregate-to-${role}`;

/** Parses a line of the policy (see policy.ts) as a rule in the spelling of this server. */
function ruleOf(text: string, { prefix, dialect }: GeneratedNames): RbacV1PolicyRule {
  const spelledName = (name: string): string =>
    name === TOKEN_TRACKING_CONFIG_MAP.platform ? TOKEN_TRACKING_CONFIG_MAP[dialect] : name.replace(CANONICAL_DOMAIN, `${prefix}/`);
  const [verbs = [], groupsOrPaths = [], resources, resourceNames] = text.split(' | ').map((words) => words.split(' '));
  if (resources === undefined) return { verbs, nonResourceURLs: groupsOrPaths };
  return {
    verbs,
    apiGroups: groupsOrPaths.map((group) => (group === 'core' ? '' : group)),
    resources,
    ...(resourceNames === undefined ? {} : { resourceNames: resourceNames.map(spelledName) }),
  };
}
