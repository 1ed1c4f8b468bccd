/** The flags of the controllers, with upstream's names for flags that upstream has. */
import {
  boolFlag,
  choiceFlag,
  decimalFlag,
  durationFlag,
  intFlag,
  listFlag,
  stringFlag,
  versionFlag,
  type FlagValues,
} from '../shared/cli/flags';
import { logLevelFlag, verbosityFlag } from '../shared/runtime/logger';
import { nodeFlags } from './node-flags';
import { nodeIpamFlags } from './node-ipam/settings';
import { loadBalancerFlags } from './service-load-balancer/settings';
import { CONTROLLERS } from './table';

const GENERIC = 'Generic';
const CLIENT = 'Client';
const ELECTION = 'Leader election';
const SERVING = 'Serving';
const CERTIFICATES = 'Certificates';
const QUOTAS = 'Quotas';
const AUTOSCALING = 'Autoscaling';

/** The flag table: names, defaults and ranges. Durations are in milliseconds. */
export const flags = {
  controllers: listFlag({
    section: GENERIC,
    help:
      "Controllers to run: '*' selects all that are on by default, 'foo' selects foo, '-foo' deselects foo, '-*' deselects all that are not named. " +
      `Controllers: ${CONTROLLERS.map(({ name, description }) => `${name} (${description})`).join('; ')}.`,
    default: ['*'],
  }),
  naming: choiceFlag({
    section: GENERIC,
    help: 'Dialect of generated names and of API groups. Must equal --naming of the API server.',
    default: 'platform',
    values: ['platform', 'kubernetes'],
  }),
  'root-ca-file': stringFlag({
    section: GENERIC,
    help:
      'File with the root certificate (PEM) that is published in every namespace. ' +
      'By default the certificate authority of the kubeconfig.',
    default: '',
  }),
  'service-account-private-key-file': stringFlag({
    section: GENERIC,
    help: 'File with the private key (PEM) that signs ServiceAccount tokens in Secrets; the API server needs its public key. Without it, no such tokens are created.',
    default: '',
  }),
  'concurrent-namespace-syncs': intFlag({
    section: GENERIC,
    help: 'Namespaces that are finalized concurrently.',
    default: 10,
    min: 1,
    max: 1000,
  }),
  'concurrent-resource-quota-syncs': intFlag({
    section: QUOTAS,
    help: 'ResourceQuotas that are synced concurrently.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'resource-quota-sync-period': durationFlag({
    section: QUOTAS,
    help: 'Time between two full recalculations of a ResourceQuota.',
    default: 300_000,
  }),
  ...nodeFlags,
  ...nodeIpamFlags,
  'concurrent-endpoint-syncs': intFlag({
    section: GENERIC,
    help: 'Services with Endpoints that are synced concurrently.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'concurrent-service-endpoint-syncs': intFlag({
    section: GENERIC,
    help: 'Services with EndpointSlices that are synced concurrently.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'enable-garbage-collector': boolFlag({ section: GENERIC, help: 'Delete objects when their owners were deleted.', default: true }),
  'concurrent-gc-syncs': intFlag({
    section: GENERIC,
    help: 'Objects that the garbage collector processes concurrently.',
    default: 20,
    min: 1,
    max: 1000,
  }),
  'concurrent-ttl-after-finished-syncs': intFlag({
    section: GENERIC,
    help: 'Finished Jobs that are deleted concurrently.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'concurrent-ephemeralvolume-syncs': intFlag({
    section: GENERIC,
    help: 'Pods with ephemeral volumes that are synced concurrently.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'pvclaimbinder-sync-period': durationFlag({
    section: GENERIC,
    help: 'Time between two syncs of all PersistentVolumes and their claims.',
    default: 15_000,
  }),
  'concurrent-cron-job-syncs': intFlag({
    section: GENERIC,
    help: 'CronJobs that are synced concurrently.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'concurrent-job-syncs': intFlag({
    section: GENERIC,
    help: 'Jobs that are synced concurrently.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'concurrent-deployment-syncs': intFlag({
    section: GENERIC,
    help: 'Deployments that are synced concurrently.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'concurrent-statefulset-syncs': intFlag({
    section: GENERIC,
    help: 'StatefulSets that are synced concurrently.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'concurrent-replicaset-syncs': intFlag({
    section: GENERIC,
    help: 'ReplicaSets that are synced concurrently.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'concurrent-rc-syncs': intFlag({
    section: GENERIC,
    help: 'ReplicationControllers that are synced concurrently.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'concurrent-horizontal-pod-autoscaler-syncs': intFlag({
    section: AUTOSCALING,
    help: 'HorizontalPodAutoscalers that are synced concurrently.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'horizontal-pod-autoscaler-sync-period': durationFlag({
    section: AUTOSCALING,
    help: 'Time between two syncs of a HorizontalPodAutoscaler.',
    default: 15_000,
  }),
  'horizontal-pod-autoscaler-downscale-stabilization': durationFlag({
    section: AUTOSCALING,
    help: 'Stabilization window for scaling down, of HorizontalPodAutoscalers that do not set one.',
    default: 300_000,
  }),
  'horizontal-pod-autoscaler-tolerance': decimalFlag({
    section: AUTOSCALING,
    help: 'Ratios of a metric to its target that differ from 1 by at most this much do not change the number of pods.',
    default: 0.1,
    min: 0,
  }),
  'horizontal-pod-autoscaler-cpu-initialization-period': durationFlag({
    section: AUTOSCALING,
    help: "Time after its start in which a pod's CPU usage counts only if it was measured while the pod was ready.",
    default: 300_000,
  }),
  'horizontal-pod-autoscaler-initial-readiness-delay': durationFlag({
    section: AUTOSCALING,
    help: 'A pod has never been ready if its Ready condition last changed within this time after its start.',
    default: 30_000,
  }),
  'terminated-pod-gc-threshold': intFlag({
    section: GENERIC,
    help: 'Terminated pods beyond this number are deleted, the oldest first; 0 or less: none are.',
    default: 12_500,
    min: -2_147_483_648,
    max: 2_147_483_647,
  }),
  'max-endpoints-per-slice': intFlag({
    section: GENERIC,
    help: 'Maximum number of endpoints in an EndpointSlice.',
    default: 100,
    min: 1,
    max: 1000,
  }),
  'endpoint-updates-batch-period': durationFlag({
    section: GENERIC,
    help: 'Time after a change of a pod in which other changes are batched, before Endpoints are updated.',
    default: 0,
  }),
  'endpointslice-updates-batch-period': durationFlag({
    section: GENERIC,
    help: 'Time after a change of a pod in which other changes are batched, before EndpointSlices are updated.',
    default: 0,
  }),
  'mirroring-concurrent-service-endpoint-syncs': intFlag({
    section: GENERIC,
    help: 'Endpoints that are mirrored concurrently.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'mirroring-max-endpoints-per-subset': intFlag({
    section: GENERIC,
    help: 'Maximum number of addresses in a subset of Endpoints that are mirrored.',
    default: 1000,
    min: 1,
    max: 1000,
  }),
  'mirroring-endpointslice-updates-batch-period': durationFlag({
    section: GENERIC,
    help: 'Time after a change of Endpoints in which other changes are batched, before they are mirrored.',
    default: 0,
  }),
  ...loadBalancerFlags,
  'legacy-service-account-token-clean-up-period': durationFlag({
    section: GENERIC,
    help: 'Time without use after which auto-generated ServiceAccount tokens in Secrets are invalidated. They are deleted after the same time again.',
    default: 8760 * 3_600_000,
  }),
  'cluster-signing-cert-file': stringFlag({
    section: CERTIFICATES,
    help: 'Certificate (PEM) of the authority that signs approved CertificateSigningRequests. Without it, none are signed.',
    default: '',
  }),
  'cluster-signing-key-file': stringFlag({ section: CERTIFICATES, help: 'Private key (PEM) of --cluster-signing-cert-file.', default: '' }),
  'cluster-signing-duration': durationFlag({
    section: CERTIFICATES,
    help: 'Longest lifetime of issued certificates. Requests may ask for a shorter one.',
    default: 365 * 86_400_000,
  }),
  'cluster-signing-kube-apiserver-client-cert-file': stringFlag({
    section: CERTIFICATES,
    help: 'Certificate (PEM) of the authority of the signer kube-apiserver-client, instead of --cluster-signing-cert-file.',
    default: '',
  }),
  'cluster-signing-kube-apiserver-client-key-file': stringFlag({
    section: CERTIFICATES,
    help: 'Private key (PEM) of --cluster-signing-kube-apiserver-client-cert-file.',
    default: '',
  }),
  'cluster-signing-kubelet-client-cert-file': stringFlag({
    section: CERTIFICATES,
    help: 'Certificate (PEM) of the authority of the signer kube-apiserver-client-kubelet, instead of --cluster-signing-cert-file.',
    default: '',
  }),
  'cluster-signing-kubelet-client-key-file': stringFlag({
    section: CERTIFICATES,
    help: 'Private key (PEM) of --cluster-signing-kubelet-client-cert-file.',
    default: '',
  }),
  'cluster-signing-kubelet-serving-cert-file': stringFlag({
    section: CERTIFICATES,
    help: 'Certificate (PEM) of the authority of the signer kubelet-serving, instead of --cluster-signing-cert-file.',
    default: '',
  }),
  'cluster-signing-kubelet-serving-key-file': stringFlag({
    section: CERTIFICATES,
    help: 'Private key (PEM) of --cluster-signing-kubelet-serving-cert-file.',
    default: '',
  }),
  'cluster-signing-legacy-unknown-cert-file': stringFlag({
    section: CERTIFICATES,
    help: 'Certificate (PEM) of the authority of the signer legacy-unknown, instead of --cluster-signing-cert-file.',
    default: '',
  }),
  'cluster-signing-legacy-unknown-key-file': stringFlag({
    section: CERTIFICATES,
    help: 'Private key (PEM) of --cluster-signing-legacy-unknown-cert-file.',
    default: '',
  }),
  'log-level': logLevelFlag(GENERIC),
  v: verbosityFlag(GENERIC),
  version: versionFlag(GENERIC),
  'use-service-account-credentials': boolFlag({
    section: CLIENT,
    help: 'Use a separate ServiceAccount in the system namespace for each controller, with its own role.',
    default: false,
  }),
  kubeconfig: stringFlag({
    section: CLIENT,
    help: 'Kubeconfig with the API servers and credentials. By default the in-cluster configuration of a pod.',
    default: '',
  }),
  master: listFlag({
    section: CLIENT,
    help: 'Addresses of the API servers (comma separated; all serve the same API), in place of the one in the kubeconfig.',
    default: [],
  }),
  'kube-api-content-type': choiceFlag({
    section: CLIENT,
    help: 'Media type of lists and watches: JSON, or Protobuf for kinds that have it (half the bytes, three times the CPU time).',
    default: 'application/json',
    values: ['application/json', 'application/vnd.kubernetes.protobuf', 'application/vnd.platform.protobuf'],
  }),
  'http1-only': boolFlag({ section: CLIENT, help: 'Use HTTP/1.1 instead of HTTP/2.', default: false }),
  'leader-elect': boolFlag({
    section: ELECTION,
    help: 'Use leader election: of several processes, only one runs a controller.',
    default: true,
  }),
  'leader-elect-lease-duration': durationFlag({
    section: ELECTION,
    help: 'Time without a renewal after which another process may acquire a lease.',
    default: 12_000,
  }),
  'leader-elect-renew-deadline': durationFlag({
    section: ELECTION,
    help: 'The leader renews its lease after half of this time, and stops leading when it could not renew it within this time. Must be less than the lease duration.',
    default: 8_000,
  }),
  'leader-elect-retry-period': durationFlag({
    section: ELECTION,
    help: 'Time between two attempts to acquire or renew a lease.',
    default: 2_000,
  }),
  'leader-elect-resource-namespace': stringFlag({
    section: ELECTION,
    help: 'Namespace of the leases. By default the system namespace.',
    default: '',
  }),
  'leader-elect-resource-name': stringFlag({
    section: ELECTION,
    help: 'Prefix of the names of leases, followed by a hyphen and the name of the controller.',
    default: 'controller',
  }),
  'bind-address': stringFlag({
    section: SERVING,
    help: 'Address for health and metrics, over HTTPS; 0.0.0.0 and :: for all addresses.',
    default: '0.0.0.0',
  }),
  'secure-port': intFlag({
    section: SERVING,
    help: 'Port for /healthz, /readyz, /livez and /metrics; 0 for none. If the default port is in use, they are not served.',
    default: 10_257,
    min: 0,
    max: 65_535,
  }),
  'tls-cert-file': stringFlag({
    section: SERVING,
    help: 'Certificate (PEM) for health and metrics, with its chain. By default a self-signed certificate is created at the start.',
    default: '',
  }),
  'tls-private-key-file': stringFlag({ section: SERVING, help: 'Private key (PEM) of --tls-cert-file.', default: '' }),
  'client-ca-file': stringFlag({
    section: SERVING,
    help: 'Certificates (PEM) of the authorities of client certificates, which authenticate the users that they name.',
    default: '',
  }),
  'authorization-always-allow-paths': listFlag({
    section: SERVING,
    help: "Paths that need no authorization; one that ends with '*' is a prefix. Other paths are authorized by the API server.",
    default: ['/healthz', '/readyz', '/livez'],
  }),
  'authentication-kubeconfig': stringFlag({
    section: SERVING,
    help: 'Kubeconfig of the API server for TokenReviews. By default as in --kubeconfig.',
    default: '',
  }),
  'authorization-kubeconfig': stringFlag({
    section: SERVING,
    help: 'Kubeconfig of the API server for SubjectAccessReviews. By default as in --kubeconfig.',
    default: '',
  }),
};

/** The parsed values, by flag. */
export type ControllerFlags = FlagValues<typeof flags>;
