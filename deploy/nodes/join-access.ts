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

const REQUESTS = `${groupInDialect(NODE_DIALECT, 'certificates.platform.io')}:certificatesigningrequests`;

/** kubeadm refuses to join a node under the name of a node that is ready. */
const NODE_READER = 'kubeadm:get-nodes';

/** Roles and bindings, each after what it refers to. */
export const JOIN_ACCESS: readonly ClusterObject[] = [
  ...configMapReader('kubeadm:nodes-kubeadm-config', NODE_CONFIG_MAPS.cluster, [NODE_TOKEN_GROUP, NODES_GROUP]),
  ...configMapReader('kubeadm:kubelet-config', NODE_CONFIG_MAPS.kubelet, [NODES_GROUP, NODE_TOKEN_GROUP]),
  clusterRole(NODE_READER, [['get', '', 'nodes']]),
  groupGrant(NODE_READER, NODE_READER, NODE_TOKEN_GROUP),
  groupGrant('kubeadm:kubelet-bootstrap', 'system:node-bootstrapper', NODE_TOKEN_GROUP),
  groupGrant('kubeadm:node-autoapprove-bootstrap', `system:${REQUESTS}:nodeclient`, NODE_TOKEN_GROUP),
  groupGrant('kubeadm:node-autoapprove-certificate-rotation', `system:${REQUESTS}:selfnodeclient`, NODES_GROUP),
];
