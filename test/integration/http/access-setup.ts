/** Creates objects that grant permissions to users of tests and limit their seats. */
import type { Fixture } from './fixture';

const RBAC = '/apis/rbac.authorization.platform.io/v1';
const FLOW_CONTROL = '/apis/flowcontrol.apiserver.platform.io/v1';
const apiGroup = 'rbac.authorization.platform.io';

/** Binds users to a cluster role. */
export async function bindClusterRole(api: Fixture, name: string, users: readonly string[]): Promise<void> {
  await api.create(`${RBAC}/clusterrolebindings`, {
    metadata: { generateName: `${name}-` },
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: users.map((user) => ({ kind: 'User', apiGroup, name: user })),
  });
}

/** Creates a cluster role and binds users to it. */
export async function grantClusterRole(api: Fixture, name: string, rule: object, users: readonly string[]): Promise<void> {
  await api.create(`${RBAC}/clusterroles`, { metadata: { name }, rules: [rule] });
  await bindClusterRole(api, name, users);
}

export const grantClusterAdmin = (api: Fixture, user: string): Promise<void> => bindClusterRole(api, 'cluster-admin', [user]);

export interface SeatLimit {
  readonly user: string;
  /** `limited` of the priority level. */
  readonly limited: object;
  /** Selects the requests, in the form of a FlowSchema's resourceRules. */
  readonly rule: object;
  /** Other members of the FlowSchema's spec. */
  readonly flowSchemaSpec?: object;
}

/** Assigns the requests of a user that match the rule to a priority level of their own, `narrow`. */
export async function limitUserSeats(api: Fixture, { user, limited, rule, flowSchemaSpec = {} }: SeatLimit): Promise<void> {
  await api.create(`${FLOW_CONTROL}/prioritylevelconfigurations`, { metadata: { name: 'narrow' }, spec: { type: 'Limited', limited } });
  const rules = [{ subjects: [{ kind: 'User', user: { name: user } }], resourceRules: [rule] }];
  const spec = { priorityLevelConfiguration: { name: 'narrow' }, matchingPrecedence: 10, rules, ...flowSchemaSpec };
  await api.create(`${FLOW_CONTROL}/flowschemas`, { metadata: { name: 'narrow' }, spec });
}
