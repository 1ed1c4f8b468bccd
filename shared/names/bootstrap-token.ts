/**
 * Names of the Secrets of bootstrap tokens and of the objects with which a machine joins the cluster. Where a name
 * contains that of the product, it is listed in both dialects.
 */
import type { Dialect } from './dialect';

/** The type of the Secret of a token, which is in the system namespace. */
export const BOOTSTRAP_TOKEN_SECRET_TYPE: Readonly<Record<Dialect, string>> = {
  platform: 'bootstrap.platform.io/token',
  kubernetes: 'bootstrap.kubernetes.io/token',
};

/** The prefix of the names of these Secrets; the id of the token follows. */
export const BOOTSTRAP_SECRET_PREFIX = 'bootstrap-token-';

/** The group of the tokens with which kubeadm joins worker nodes. */
export const NODE_TOKEN_GROUP = 'system:bootstrappers:kubeadm:default-node-token';

/** The ConfigMap in the public namespace that a machine reads to join the cluster. */
export const CLUSTER_INFO = {
  name: 'cluster-info',
  /** The key of the kubeconfig file, which is signed. */
  kubeconfig: 'kubeconfig',
  /** The prefix of the keys of signatures; followed by the id of the token. */
  signaturePrefix: 'jws-kubeconfig-',
} as const;

/** The name of the Role, and of its RoleBinding, that allows anonymous users to read {@link CLUSTER_INFO}. */
export const CLUSTER_INFO_ROLE: Readonly<Record<Dialect, string>> = {
  platform: 'bootstrap-signer-clusterinfo',
  kubernetes: 'kubeadm:bootstrap-signer-clusterinfo',
};

/**
 * The part of a token that signs {@link CLUSTER_INFO}: the whole token in the dialect of this product, and only the secret
 * after the dot in upstream's, because stock clients verify with the secret.
 */
export const BOOTSTRAP_SIGNING_KEY: Readonly<Record<Dialect, 'token' | 'secret'>> = { platform: 'token', kubernetes: 'secret' };
