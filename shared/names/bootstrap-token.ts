/** Where bootstrap tokens stand, and what they sign; what bears the product's name in both dialects. */
import type { Dialect } from './dialect';

/** The type of a token's Secret, in the system namespace. */
export const BOOTSTRAP_TOKEN_SECRET_TYPE: Readonly<Record<Dialect, string>> = {
  platform: 'bootstrap.platform.io/token',
  kubernetes: 'bootstrap.kubernetes.io/token',
};

/** What the name of a token's Secret begins with; the token's id follows. */
export const BOOTSTRAP_SECRET_PREFIX = 'bootstrap-token-';

/** The ConfigMap in the public namespace from which a machine that wants to join learns of the cluster. */
export const CLUSTER_INFO = {
  name: 'cluster-info',
  /** What is signed. */
  kubeconfig: 'kubeconfig',
  /** What the name of a signature begins with; the token's id follows. */
  signaturePrefix: 'jws-kubeconfig-',
} as const;

/** The Role, and its binding, that lets everybody read it. */
export const CLUSTER_INFO_ROLE: Readonly<Record<Dialect, string>> = {
  platform: 'bootstrap-signer-clusterinfo',
  kubernetes: 'kubeadm:bootstrap-signer-clusterinfo',
};

/** What a token signs with: the specification says with the whole of it; upstream signs, and its clients check, with what follows the dot. */
export const BOOTSTRAP_SIGNING_KEY: Readonly<Record<Dialect, 'token' | 'secret'>> = { platform: 'token', kubernetes: 'secret' };
