/** The default roles and bindings as objects, in the names of this server. Looks nothing up. */
import { messageInDialect, type GeneratedNames } from '../../../shared/names/dialect';
import { readRule, type PolicyRule } from '../../authorization/rbac/rule';
import { TOKEN_TRACKING_CONFIG_MAP } from '../../../shared/names/legacy-token';
import type { JsonObject } from '../../../shared/values/json';
import { CONTROLLER_RULES } from './controller-policy';
import { AGGREGATED, BINDINGS, CLUSTER_BINDINGS, CLUSTER_ROLES, ROLES, type BindingRow, type RoleRow, type SystemPlace } from './policy';

export type RbacKind = 'clusterroles' | 'clusterrolebindings' | 'roles' | 'rolebindings';

export interface DefaultObject {
  readonly kind: RbacKind;
  /** '' for the kinds that are in none. */
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject;
}

const GROUP = 'rbac.authorization.platform.io';
const CONTROLLER = 'system:controller:';

/** The annotation that says whether a default object is kept as it was. */
export const autoUpdate = ({ prefix }: GeneratedNames): string => `rbac.authorization.${prefix}/autoupdate`;

/** Roles come before the bindings that name them. */
export function defaultObjects(names: GeneratedNames): readonly DefaultObject[] {
  const makes = makersIn(names);
  const controllers = Object.entries(CONTROLLER_RULES);
  return [
    ...AGGREGATED.map((row) => makes.aggregated(row)),
    ...CLUSTER_ROLES.map((row) => makes.role(undefined, row)),
    ...controllers.map(([name, rules]) => makes.role(undefined, { name: CONTROLLER + name, rules })),
    ...ROLES.map((row) => makes.role(row.place, row)),
    ...CLUSTER_BINDINGS.map((row) => makes.binding(undefined, row)),
    ...controllers.map(([name]) => makes.binding(undefined, { name: CONTROLLER + name, accounts: [name] })),
    ...BINDINGS.map((row) => makes.binding(row.place, row)),
  ];
}

/** What every node may do, whether or not somebody bound the role. */
export function nodeRules(names: GeneratedNames): readonly PolicyRule[] {
  const row = CLUSTER_ROLES.find(({ name }) => name === 'system:node');
  return (row?.rules ?? []).map((text) => readRule(ruleOf(text, names)));
}

interface Makers {
  aggregated(row: Omit<RoleRow, 'rules'>): DefaultObject;
  /** No place = in no namespace. */
  role(place: SystemPlace | undefined, row: RoleRow): DefaultObject;
  binding(place: SystemPlace | undefined, row: BindingRow): DefaultObject;
}

function makersIn(names: GeneratedNames): Makers {
  const { systemNamespace, publicNamespace, prefix, dialect } = names;
  const spelled = (text: string): string => messageInDialect(dialect, text);
  const namespaces = { system: systemNamespace, public: publicNamespace };
  const metadata = (name: string, labels: JsonObject = {}): JsonObject => ({
    name,
    labels: { [`${prefix}/bootstrapping`]: 'rbac-defaults', ...labels },
    annotations: { [autoUpdate(names)]: 'true' },
  });
  const of = (kind: 'role' | 'rolebinding', place: SystemPlace | undefined, object: JsonObject, name: string): DefaultObject =>
    place === undefined
      ? { kind: `cluster${kind}s`, namespace: '', name, object }
      : { kind: `${kind}s`, namespace: namespaces[place], name, object };
  const labelsOf = ({ partOf: role }: Pick<RoleRow, 'partOf'>): JsonObject =>
    role === undefined ? {} : { [spelled(partOf(role))]: 'true' };

  return {
    aggregated(row) {
      const { name } = row;
      // Charts bring roles with the label in the spelling of stock clients, whatever this server's own is.
      const labels = [...new Set([partOf(name), messageInDialect('kubernetes', partOf(name))])].filter(
        (label) => dialect === 'platform' || label === spelled(label),
      );
      const clusterRoleSelectors = labels.map((label) => ({ matchLabels: { [label]: 'true' } }));
      return of('role', undefined, { metadata: metadata(name, labelsOf(row)), aggregationRule: { clusterRoleSelectors }, rules: [] }, name);
    },
    role(place, row) {
      const name = spelled(row.name);
      return of('role', place, { metadata: metadata(name, labelsOf(row)), rules: row.rules.map((text) => ruleOf(text, names)) }, name);
    },
    binding(place, row) {
      const { name, users = [], groups = [], accounts = [] } = row;
      const kind = place === undefined ? 'ClusterRole' : 'Role';
      const subjects = [
        ...groups.map((group) => ({ kind: 'Group', apiGroup: GROUP, name: group })),
        ...users.map((user) => ({ kind: 'User', apiGroup: GROUP, name: user })),
        ...accounts.map((account) => ({ kind: 'ServiceAccount', name: account, namespace: systemNamespace })),
      ];
      const roleRef = { apiGroup: GROUP, kind, name: row.role ?? name };
      return of('rolebinding', place, { metadata: metadata(name), roleRef, ...(subjects.length === 0 ? {} : { subjects }) }, name);
    },
  };
}

const partOf = (role: string): string => `${GROUP}/aggregate-to-${role}`;

/** A line of the table as a rule. */
function ruleOf(text: string, { prefix, dialect }: GeneratedNames): JsonObject {
  const spelledName = (name: string): string =>
    name === TOKEN_TRACKING_CONFIG_MAP.platform ? TOKEN_TRACKING_CONFIG_MAP[dialect] : name.replace(/^platform\.io\//, `${prefix}/`);
  const [verbs = [], second = [], resources, resourceNames] = text.split(' | ').map((words) => words.split(' '));
  if (resources === undefined) return { verbs, nonResourceURLs: second };
  return {
    verbs,
    apiGroups: second.map((group) => (group === 'core' ? '' : group)),
    resources,
    ...(resourceNames === undefined ? {} : { resourceNames: resourceNames.map(spelledName) }),
  };
}
