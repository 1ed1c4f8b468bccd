/** Objects that give users of tests permissions and seats. */
import type { Fixture } from './fixture';

const RBAC = '/apis/rbac.authorization.platform.io/v1';
const FLOW_CONTROL = '/apis/flowcontrol.apiserver.platform.io/v1';
const apiGroup = 'rbac.authorization.platform.io';

/** Binds users to a cluster role. */
export async function bind(api: Fixture, name: string, users: readonly string[]): Promise<void> {
  await api.create(`${RBAC}/clusterrolebindings`, {
    metadata: { generateName: `${name}-` },
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: users.map((user) => ({ kind: 'User', apiGroup, name: user })),
  });
}

/** Creates a cluster role and binds users to it. */
export async function grant(api: Fixture, name: string, rule: object, users: readonly string[]): Promise<void> {
  await api.create(`${RBAC}/clusterroles`, { metadata: { name }, rules: [rule] });
  await bind(api, name, users);
}

export const grantAll = (api: Fixture, user: string): Promise<void> => bind(api, 'cluster-admin', [user]);

/** Requests of the user that match the rule have a priority level of their own, `narrow`. */
export async function limitUser(api: Fixture, name: string, limited: object, rule: object, more: object = {}): Promise<void> {
  await api.create(`${FLOW_CONTROL}/prioritylevelconfigurations`, { metadata: { name: 'narrow' }, spec: { type: 'Limited', limited } });
  const rules = [{ subjects: [{ kind: 'User', user: { name } }], resourceRules: [rule] }];
  const spec = { priorityLevelConfiguration: { name: 'narrow' }, matchingPrecedence: 10, rules, ...more };
  await api.create(`${FLOW_CONTROL}/flowschemas`, { metadata: { name: 'narrow' }, spec });
}
