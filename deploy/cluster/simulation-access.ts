/**
 * Grants the user of the simulation of nodes the access that it needs, and no more: a ClusterRole, and Roles in the
 * system namespace and in the namespace of the nodes' Leases, each with its binding. A later call restores changed
 * rules and subjects.
 */
import type { RbacV1PolicyRule, RbacV1Subject } from '../../shared/api/types/generated/members';
import { namespaceOf } from '../../shared/client/rest/api-object';
import { resourceOf, type Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { GENERATED_NAMES, groupInDialect, type Dialect } from '../../shared/names/dialect';
import type { JsonObject } from '../../shared/values/json';
import { createIfMissing, withAdministrator, type AdministratorOptions } from './administrator';
import { SIMULATION_LEAF } from './identities';

const RBAC = 'rbac.authorization.platform.io';
const ROLES = resourceOf('rbac.v1.Role');
const BINDINGS = resourceOf('rbac.v1.RoleBinding');
const CLUSTER_ROLES = resourceOf('rbac.v1.ClusterRole');
const CLUSTER_BINDINGS = resourceOf('rbac.v1.ClusterRoleBinding');
const NAME = 'simulation';

/** Verbs, API group in canonical spelling, resources, and names of objects; lists are separated by spaces. */
type Rule = readonly [verbs: string, group: string, resources: string, names?: string];

const CLUSTER_RULES: readonly Rule[] = [
  ['get list watch create delete', '', 'nodes'],
  ['patch', '', 'nodes/status pods/status'],
  ['get list watch delete', '', 'pods'],
  ['create', '', 'pods/binding'],
  ['create patch', '', 'events'],
  ['get list watch', '', 'namespaces'],
  ['get list watch patch', '', 'persistentvolumeclaims persistentvolumes'],
  ['get list watch', 'storage.platform.io', 'storageclasses'],
  ['get list watch', 'policy', 'poddisruptionbudgets'],
  ['get list watch', 'apps', 'replicasets statefulsets'],
  ['create', 'apiregistration.platform.io', 'apiservices'],
  ['get patch', 'apiregistration.platform.io', 'apiservices', 'v1beta1.metrics.k8s.io'],
];

const SYSTEM_RULES: readonly Rule[] = [
  ['create', 'coordination.platform.io', 'leases'],
  ['get list watch update', 'coordination.platform.io', 'leases', 'simulation'],
  ['get list watch', 'coordination.platform.io', 'leases', 'kube-scheduler'],
  ['create', '', 'services'],
  ['patch', '', 'services', 'simulation-metrics'],
];

const NODE_LEASE_RULES: readonly Rule[] = [['get create update', 'coordination.platform.io', 'leases']];

/** Rejects when a request fails. */
export async function grantSimulationAccess(options: AdministratorOptions, signal: AbortSignal): Promise<void> {
  await withAdministrator(options, (client) => grant(client, signal));
}

async function grant(client: RestClient, signal: AbortSignal): Promise<void> {
  const { dialect } = client;
  const { systemNamespace, nodeLeaseNamespace } = GENERATED_NAMES[dialect];
  const apiGroup = groupInDialect(dialect, RBAC);
  const subjects: RbacV1Subject[] = [{ apiGroup, kind: 'User', name: SIMULATION_LEAF.subject.commonName }];
  const metadata = { name: NAME };
  await createOrPatch(client, CLUSTER_ROLES, { metadata, rules: policyRules(dialect, CLUSTER_RULES) }, signal);
  await createOrPatch(client, CLUSTER_BINDINGS, { metadata, roleRef: { apiGroup, kind: 'ClusterRole', name: NAME }, subjects }, signal);
  for (const [namespace, rules] of [
    [systemNamespace, SYSTEM_RULES],
    [nodeLeaseNamespace, NODE_LEASE_RULES],
  ] as const) {
    const namespaced = { metadata: { namespace, name: NAME } };
    await createOrPatch(client, ROLES, { ...namespaced, rules: policyRules(dialect, rules) }, signal);
    await createOrPatch(client, BINDINGS, { ...namespaced, roleRef: { apiGroup, kind: 'Role', name: NAME }, subjects }, signal);
  }
}

const policyRules = (dialect: Dialect, rules: readonly Rule[]): RbacV1PolicyRule[] =>
  rules.map(([verbs, group, resources, names]) => ({
    verbs: verbs.split(' '),
    apiGroups: [groupInDialect(dialect, group)],
    resources: resources.split(' '),
    ...(names === undefined ? {} : { resourceNames: names.split(' ') }),
  }));

async function createOrPatch(
  client: RestClient,
  resource: Resource,
  object: JsonObject & { readonly metadata: { readonly namespace?: string; readonly name: string } },
  signal: AbortSignal,
): Promise<void> {
  const isCreated = await createIfMissing(client, resource, signal, object);
  if (!isCreated) await client.of(resource).namespace(namespaceOf(object)).patch(object.metadata.name, 'merge', object, { signal });
}
