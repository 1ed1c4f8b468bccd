/**
 * Constructors of the objects that nodes and add-ons need, in the names of upstream, because real nodes use no others.
 * Which objects there are is left to the callers.
 */
import { dump } from 'js-yaml';
import { resourceOf, type Resource } from '../../shared/client/rest/resource';
import { groupInDialect } from '../../shared/names/dialect';
import type { JsonObject } from '../../shared/values/json';

/** An object with the resource that serves it. Kind and API version follow from the resource. */
export interface ClusterObject {
  readonly resource: Resource;
  readonly object: JsonObject;
}

/** The naming of real nodes. */
export const NODE_DIALECT = 'kubernetes';
/** The system namespace in that naming. */
export const SYSTEM_NAMESPACE = 'kube-system';
/** The API group of roles in that naming. */
export const RBAC_GROUP = groupInDialect(NODE_DIALECT, 'rbac.authorization.platform.io');

const CONFIG_MAPS = resourceOf('core.v1.ConfigMap');
const SERVICE_ACCOUNTS = resourceOf('core.v1.ServiceAccount');
const ROLES = resourceOf('rbac.v1.Role');
const ROLE_BINDINGS = resourceOf('rbac.v1.RoleBinding');
const CLUSTER_ROLES = resourceOf('rbac.v1.ClusterRole');
const CLUSTER_ROLE_BINDINGS = resourceOf('rbac.v1.ClusterRoleBinding');

type Labels = Readonly<Record<string, string>>;

/** A ConfigMap in the system namespace. */
export function configMap(name: string, data: Readonly<Record<string, string>>, labels?: Labels): ClusterObject {
  return { resource: CONFIG_MAPS, object: { metadata: systemMetadata(name, labels), data: { ...data } } };
}

/** A ServiceAccount in the system namespace. */
export function serviceAccount(name: string): ClusterObject {
  return { resource: SERVICE_ACCOUNTS, object: { metadata: systemMetadata(name) } };
}

/** Verbs and resources are separated by blanks (`get list`); the API group is in upstream's spelling. */
export type Rule = readonly [verbs: string, group: string, resources: string];

export function clusterRole(name: string, rules: readonly Rule[]): ClusterObject {
  return {
    resource: CLUSTER_ROLES,
    object: {
      metadata: { name },
      rules: rules.map(([verbs, group, resources]) => ({
        apiGroups: [group],
        resources: resources.split(' '),
        verbs: verbs.split(' '),
      })),
    },
  };
}

/** The name of a ClusterRoleBinding, and the ClusterRole to which it refers. */
interface Grant {
  readonly name: string;
  readonly role: string;
}

/** Binds a ClusterRole to a group. */
export const groupGrant = ({ group, ...grant }: Grant & { readonly group: string }): ClusterObject =>
  clusterRoleBinding(grant, groupSubject(group));

/** Binds a ClusterRole to a ServiceAccount of the system namespace. */
export const accountGrant = ({ account, ...grant }: Grant & { readonly account: string }): ClusterObject =>
  clusterRoleBinding(grant, { kind: 'ServiceAccount', name: account, namespace: SYSTEM_NAMESPACE });

/** A Role with which groups may read one ConfigMap of the system namespace, and its RoleBinding. */
export function configMapReader(name: string, configMapName: string, groups: readonly string[]): readonly ClusterObject[] {
  const metadata = systemMetadata(name);
  const rules = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [configMapName], verbs: ['get'] }];
  const binding = { metadata, roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name }, subjects: groups.map(groupSubject) };
  return [
    { resource: ROLES, object: { metadata, rules } },
    { resource: ROLE_BINDINGS, object: binding },
  ];
}

/** The metadata of an object in the system namespace. */
export const systemMetadata = (name: string, labels?: Labels): JsonObject => ({
  namespace: SYSTEM_NAMESPACE,
  name,
  ...(labels === undefined ? {} : { labels: { ...labels } }),
});

/** YAML with sorted members, as upstream's programs write it. */
export const yamlDocument = (document: JsonObject): string =>
  dump(document, { sortKeys: true, lineWidth: -1, seqNoIndent: true, quoteStyle: 'double' });

function clusterRoleBinding({ name, role }: Grant, subject: JsonObject): ClusterObject {
  const roleRef = { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: role };
  return { resource: CLUSTER_ROLE_BINDINGS, object: { metadata: { name }, roleRef, subjects: [subject] } };
}

function groupSubject(name: string): JsonObject {
  return { apiGroup: RBAC_GROUP, kind: 'Group', name };
}
