/** Roles and bindings: what is asked of the reference server. */
import { apiVersionIn } from '../../../shared/names/dialect';
import type { KindCases } from '../kind-cases';
import type { Body, Json } from '../reference';

const apiVersion = apiVersionIn('kubernetes', 'rbac.authorization.platform.io/v1');
const GROUP = 'rbac.authorization.k8s.io';

const rule = (members: Body): Body => ({ apiGroups: [''], resources: ['pods'], verbs: ['get'], ...members });
const rules = (...list: Json[]): Body => ({ rules: list });
const nonResource = (members: Body): Body => ({ nonResourceURLs: ['/healthz'], verbs: ['get'], ...members });

const RULES: Readonly<Record<string, Body>> = {
  plain: rules(rule({})),
  'no rules': {},
  'null rules': { rules: null },
  'empty rules': rules(),
  'an empty rule': rules({}),
  'no verbs': rules(rule({ verbs: [] })),
  'null verbs': rules(rule({ verbs: null })),
  'no groups': rules(rule({ apiGroups: [] })),
  'no resources': rules(rule({ resources: [] })),
  'no groups and no resources': rules({ verbs: ['get'] }),
  'all missing in the second rule': rules(rule({}), {}),
  'any verb': rules(rule({ verbs: ['*'] })),
  'an empty verb': rules(rule({ verbs: [''] })),
  'an unknown verb': rules(rule({ verbs: ['x y'] })),
  'any group and resource': rules(rule({ apiGroups: ['*'], resources: ['*'] })),
  'a subresource': rules(rule({ resources: ['pods/log', '*/scale'] })),
  'an empty resource': rules(rule({ resources: [''] })),
  'resource names': rules(rule({ resourceNames: ['a', '', 'b'] })),
  'non-resource': rules(nonResource({})),
  'non-resource with groups': rules(nonResource({ apiGroups: [''] })),
  'non-resource with resources': rules(nonResource({ resources: ['pods'] })),
  'non-resource with names': rules(nonResource({ resourceNames: ['a'] })),
  'non-resource and a whole rule': rules(rule({ nonResourceURLs: ['/x'] })),
  'non-resource without verbs': rules(nonResource({ verbs: [] })),
  'non-resource without a slash': rules(nonResource({ nonResourceURLs: ['healthz'] })),
  'non-resource with a star': rules(nonResource({ nonResourceURLs: ['/a/*', '*', '/a*b'] })),
  'an empty non-resource': rules(nonResource({ nonResourceURLs: [''] })),
  'labels wrong': { metadata: { labels: { a: '-' } }, ...rules({}) },
};

const roleChanges: KindCases['changes'] = {
  'nothing changes': [rules(rule({})), rules(rule({}))],
  'verbs come': [rules(rule({})), rules(rule({ verbs: ['get', 'list'] }))],
  'rules go': [rules(rule({})), {}],
  'verbs go': [rules(rule({})), rules(rule({ verbs: [] }))],
};

export const ROLES: KindCases = {
  resource: 'roles',
  kind: 'Role',
  apiVersion,
  namespaced: true,
  base: rules(rule({})),
  bodies: {
    ...RULES,
    'a name with a colon': { metadata: { name: 'a:b' }, ...rules(rule({})) },
    'a name with a slash': { metadata: { name: 'a/b' }, ...rules(rule({})) },
    'a name with a percent': { metadata: { name: 'a%b' }, ...rules(rule({})) },
    'a name of capitals': { metadata: { name: 'A b_c' }, ...rules(rule({})) },
  },
  changes: roleChanges,
};

const aggregated = (selectors: Json, members: Body = {}): Body => ({ aggregationRule: { clusterRoleSelectors: selectors }, ...members });

export const CLUSTER_ROLES: KindCases = {
  resource: 'clusterroles',
  kind: 'ClusterRole',
  apiVersion,
  namespaced: false,
  base: rules(rule({})),
  bodies: {
    ...RULES,
    aggregated: aggregated([{ matchLabels: { a: 'b' } }]),
    'aggregated, with rules': aggregated([{ matchLabels: { a: 'b' } }], rules(rule({}))),
    'aggregated over nothing': aggregated([]),
    'aggregated over null': aggregated(null),
    'an empty aggregation': { aggregationRule: {} },
    'aggregated over everything': aggregated([{}]),
    'aggregated over bad labels': aggregated([{ matchLabels: { 'a b': 'c' } }]),
    'aggregated over a bad value': aggregated([{ matchLabels: { a: '-' } }]),
    'aggregated by operators': aggregated([
      {
        matchExpressions: [
          { key: 'a', operator: 'In' },
          { key: 'a', operator: 'Exists', values: ['x'] },
          { key: '', operator: 'What' },
        ],
      },
    ]),
  },
  changes: { ...roleChanges, 'aggregation comes': [rules(rule({})), aggregated([{ matchLabels: { a: 'b' } }])] },
};

const user = (members: Body = {}): Body => ({ kind: 'User', apiGroup: GROUP, name: 'u', ...members });
const account = (members: Body = {}): Body => ({ kind: 'ServiceAccount', name: 'a', namespace: 'ns', ...members });
const roleRef = (members: Body = {}): Body => ({ apiGroup: GROUP, kind: 'ClusterRole', name: 'view', ...members });
const bound = (subjects: Json, ref: Json = roleRef()): Body => ({ subjects, roleRef: ref });

const BINDINGS: Readonly<Record<string, Body>> = {
  plain: bound([user()]),
  'no subjects': { roleRef: roleRef() },
  'null subjects': bound(null),
  'no role': { subjects: [user()] },
  'an empty role': bound([user()], {}),
  'no group of the role': bound([user()], { kind: 'ClusterRole', name: 'view' }),
  'another group of the role': bound([user()], roleRef({ apiGroup: 'x' })),
  'an empty group of the role': bound([user()], roleRef({ apiGroup: '' })),
  'no kind of the role': bound([user()], { apiGroup: GROUP, name: 'view' }),
  'another kind of the role': bound([user()], roleRef({ kind: 'Pod' })),
  'a Role': bound([user()], roleRef({ kind: 'Role' })),
  'no name of the role': bound([user()], { apiGroup: GROUP, kind: 'ClusterRole' }),
  'a role with a slash': bound([user()], roleRef({ name: 'a/b' })),
  'a role with a colon': bound([user()], roleRef({ name: 'system:a' })),
  'a role of dots': bound([user()], roleRef({ name: '..' })),
  'an empty subject': bound([{}]),
  'a user without a group': bound([{ kind: 'User', name: 'u' }]),
  'a user of another group': bound([user({ apiGroup: 'x' })]),
  'a user without a name': bound([{ kind: 'User', apiGroup: GROUP }]),
  'a user with a namespace': bound([user({ namespace: 'ns' })]),
  'a group': bound([{ kind: 'Group', name: 'system:masters' }]),
  'a group of another group': bound([{ kind: 'Group', apiGroup: 'x', name: 'g' }]),
  'an account': bound([account()]),
  'an account without a namespace': bound([{ kind: 'ServiceAccount', name: 'a' }]),
  'an account with an empty namespace': bound([account({ namespace: '' })]),
  'an account with a group': bound([account({ apiGroup: GROUP })]),
  'an account with a malformed name': bound([account({ name: 'A_b' })]),
  'an account with a malformed namespace': bound([account({ namespace: 'A_b' })]),
  'an unknown kind': bound([{ kind: 'Pod', name: 'u' }]),
  'an unknown kind without a name': bound([{ kind: 'Pod' }]),
  'the same twice': bound([user(), user()]),
  'everything wrong': {
    metadata: { labels: { a: '-' } },
    ...bound([{}, { kind: 'x' }, { kind: 'ServiceAccount', apiGroup: 'y' }], { apiGroup: 'z', kind: 'w', name: '%' }),
  },
};

const bindingChanges: KindCases['changes'] = {
  'nothing changes': [bound([user()]), bound([user()])],
  'subjects change': [bound([user()]), bound([account()])],
  'subjects go': [bound([user()]), { roleRef: roleRef() }],
  'the role changes': [bound([user()]), bound([user()], roleRef({ name: 'edit' }))],
  'the kind of the role changes': [bound([user()]), bound([user()], roleRef({ kind: 'Role' }))],
  'the role becomes malformed': [bound([user()]), bound([{}], roleRef({ name: '%' }))],
};

export const ROLE_BINDINGS: KindCases = {
  resource: 'rolebindings',
  kind: 'RoleBinding',
  apiVersion,
  namespaced: true,
  base: bound([user()]),
  bodies: { ...BINDINGS, 'a name with a slash': { metadata: { name: 'a/b' }, ...bound([user()]) } },
  changes: bindingChanges,
};

export const CLUSTER_ROLE_BINDINGS: KindCases = {
  resource: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  apiVersion,
  namespaced: false,
  base: bound([user()]),
  bodies: BINDINGS,
  changes: bindingChanges,
};
