/** Names by which a workload in a container finds the API server and its credentials, in both dialects. */
import type { Dialect } from './dialect';

/** Names that a container of a pod uses. */
export interface WorkloadNames {
  /** The environment variable with the host of the API server. */
  readonly hostVariable: string;
  /** The environment variable with the port of the API server. */
  readonly portVariable: string;
  /** Folder with the files `token`, `ca.crt` and `namespace`. */
  readonly tokenFolder: string;
  /** The ConfigMap in every namespace that holds the cluster's root certificate under `ca.crt`. */
  readonly rootCertificateConfigMap: string;
  /** The prefix of the name of the volume with the token; generated characters follow. */
  readonly tokenVolumePrefix: string;
}

export const WORKLOAD_NAMES: Readonly<Record<Dialect, WorkloadNames>> = {
  platform: {
    hostVariable: 'PLATFORM_SERVICE_HOST',
    portVariable: 'PLATFORM_SERVICE_PORT',
    tokenFolder: '/var/run/secrets/platform.io/serviceaccount',
    rootCertificateConfigMap: 'platform-root-ca.crt',
    tokenVolumePrefix: 'platform-api-access-',
  },
  kubernetes: {
    hostVariable: 'KUBERNETES_SERVICE_HOST',
    portVariable: 'KUBERNETES_SERVICE_PORT',
    tokenFolder: '/var/run/secrets/kubernetes.io/serviceaccount',
    rootCertificateConfigMap: 'kube-root-ca.crt',
    tokenVolumePrefix: 'kube-api-access-',
  },
};
