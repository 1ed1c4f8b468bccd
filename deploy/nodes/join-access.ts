/**
 * What RBAC grants to nodes: machines with a bootstrap token may read the cluster's configuration and request a
 * certificate, which the controllers approve; nodes may renew theirs. The objects have kubeadm's names and contents, so
 * that kubeadm recognizes them.
 */
import { NODE_TOKEN_GROUP } from '../../shared/names/bootstrap-token';
import { groupInDialect } from '../../shared/names/dialect';
import { clusterRole, configMapReader, groupGrant, NODE_DIALECT, type ClusterObject } from './cluster-objects';

const NODES_GROUP = 'system:nodes';

/** The ConfigMaps of the system namespace that a joining node reads. */
export const NODE_CONFIG_MAPS = { cluster: 'kubeadm-config', kubelet: 'kubelet-config', proxy: 'kube-proxy' } as const;

/** The prefix of the built-in ClusterRoles with which the controllers approve certificates of nodes. */
const APPROVAL = `system:${groupInDialect(NODE_DIALECT, 'certificates.platform.io')}:certificatesigningrequests`;

/**
 * The name of a ClusterRole and of its binding. kubeadm reads the Node of the name under which a machine joins, because it
 * refuses to join when that Node is ready.
 */
const NODE_READER = 'kubeadm:get-nodes';

/** Roles and bindings, each binding after the role that it refers to, unless that is a default role of the API server. */
export const JOIN_ACCESS: readonly ClusterObject[] = [
  ...configMapReader('kubeadm:nodes-kubeadm-config', NODE_CONFIG_MAPS.cluster, [NODE_TOKEN_GROUP, NODES_GROUP]),
  ...configMapReader('kubeadm:kubelet-config', NODE_CONFIG_MAPS.kubelet, [NODES_GROUP, NODE_TOKEN_GROUP]),
  clusterRole(NODE_READER, [['get', '', 'nodes']]),
  groupGrant({ name: NODE_READER, role: NODE_READER, group: NODE_TOKEN_GROUP }),
  groupGrant({ name: 'kubeadm:kubelet-bootstrap', role: 'system:node-bootstrapper', group: NODE_TOKEN_GROUP }),
  groupGrant({ name: 'kubeadm:node-autoapprove-bootstrap', role: `${APPROVAL}:nodeclient`, group: NODE_TOKEN_GROUP }),
  groupGrant({ name: 'kubeadm:node-autoapprove-certificate-rotation', role: `${APPROVAL}:selfnodeclient`, group: NODES_GROUP }),
];
