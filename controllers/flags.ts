/** The controllers' command line: one table, upstream's names where upstream has the flag. */
import { isIP } from 'node:net';
import { bool, choice, decimal, duration, int, list, string, versionFlag, type FlagValues } from '../shared/cli/flags';
import { logLevelFlag, verbosityFlag } from '../shared/runtime/logger';
import { CONTROLLERS } from './table';

const GENERIC = 'Generic';
const CLIENT = 'Client';
const ELECTION = 'Leader election';
const SERVING = 'Serving';
const CERTIFICATES = 'Certificates';
const QUOTAS = 'Quotas';
const NODES = 'Nodes';
const AUTOSCALING = 'Autoscaling';

export const flags = {
  controllers: list({
    section: GENERIC,
    help:
      "Controllers to run: '*' = all that are on by default, 'foo' = foo as well, '-foo' = not foo, '-*' = none but the named ones. " +
      `There are: ${CONTROLLERS.map(({ name, description }) => `${name} (${description})`).join('; ')}.`,
    default: ['*'],
  }),
  naming: choice({
    section: GENERIC,
    help: "Names that controllers generate, and the spelling of API groups. Must be the API server's own --naming.",
    default: 'platform',
    words: ['platform', 'kubernetes'],
  }),
  'root-ca-file': string({
    section: GENERIC,
    help:
      'File with the root certificate (PEM) that is published in every namespace. ' +
      'By default the one that the kubeconfig verifies the server with.',
    default: '',
  }),
  'service-account-private-key-file': string({
    section: GENERIC,
    help: 'File with the private key (PEM) that signs the tokens that are kept in Secrets; the API server must know its public half. Without it they are not filled.',
    default: '',
  }),
  'concurrent-namespace-syncs': int({ section: GENERIC, help: 'Namespaces that are emptied at a time.', default: 10, min: 1, max: 1000 }),
  'concurrent-resource-quota-syncs': int({ section: QUOTAS, help: 'Quotas that are counted at a time.', default: 5, min: 1, max: 1000 }),
  'resource-quota-sync-period': duration({ section: QUOTAS, help: 'Every quota is counted anew after so long.', default: 300_000 }),
  'node-monitor-period': duration({ section: NODES, help: 'Time between two looks at the signs of life of all nodes.', default: 5_000 }),
  'node-monitor-grace-period': duration({
    section: NODES,
    help: 'A node that has given no sign of life for so long counts as lost.',
    default: 40_000,
  }),
  'node-startup-grace-period': duration({
    section: NODES,
    help: 'The same for a node that has never given one, from its creation.',
    default: 60_000,
  }),
  'node-eviction-rate': decimal({
    section: NODES,
    help: 'Lost nodes of a zone from which pods are taken, per second, while the zone is healthy, or lost as a whole.',
    default: 0.1,
    min: 0,
  }),
  'secondary-node-eviction-rate': decimal({
    section: NODES,
    help: 'The same while the zone is unhealthy and large; from small ones none are taken then.',
    default: 0.01,
    min: 0,
  }),
  'unhealthy-zone-threshold': decimal({
    section: NODES,
    help: 'Share of nodes (three at least) that must be lost for their zone to be unhealthy.',
    default: 0.55,
    min: 0,
    max: 1,
  }),
  'large-cluster-size-threshold': int({
    section: NODES,
    help: 'A zone with more nodes than this is large.',
    default: 50,
    min: 0,
  }),
  'concurrent-endpoint-syncs': int({ section: GENERIC, help: 'Endpoints that are looked at at a time.', default: 5, min: 1, max: 1000 }),
  'concurrent-service-endpoint-syncs': int({
    section: GENERIC,
    help: 'Services whose EndpointSlices are looked at at a time.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'enable-garbage-collector': bool({ section: GENERIC, help: 'Remove objects whose owners are gone.', default: true }),
  'concurrent-gc-syncs': int({
    section: GENERIC,
    help: 'Objects without owners that are looked at at a time.',
    default: 20,
    min: 1,
    max: 1000,
  }),
  'concurrent-ttl-after-finished-syncs': int({
    section: GENERIC,
    help: 'Finished Jobs that are removed at a time.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'concurrent-cron-job-syncs': int({
    section: GENERIC,
    help: 'CronJobs that are looked at at a time.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'concurrent-job-syncs': int({
    section: GENERIC,
    help: 'Jobs that are looked at at a time.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'concurrent-deployment-syncs': int({
    section: GENERIC,
    help: 'Deployments that are looked at at a time.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'concurrent-statefulset-syncs': int({
    section: GENERIC,
    help: 'StatefulSets that are looked at at a time.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'concurrent-replicaset-syncs': int({
    section: GENERIC,
    help: 'ReplicaSets that are looked at at a time.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'concurrent-rc-syncs': int({
    section: GENERIC,
    help: 'ReplicationControllers that are looked at at a time.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'concurrent-horizontal-pod-autoscaler-syncs': int({
    section: AUTOSCALING,
    help: 'Autoscalers that are looked at at a time.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'horizontal-pod-autoscaler-sync-period': duration({
    section: AUTOSCALING,
    help: 'Every autoscaler is looked at once in so long.',
    default: 15_000,
  }),
  'horizontal-pod-autoscaler-downscale-stabilization': duration({
    section: AUTOSCALING,
    help: 'An autoscaler that says nothing else asks for fewer pods only when it has not asked for more for so long.',
    default: 300_000,
  }),
  'horizontal-pod-autoscaler-tolerance': decimal({
    section: AUTOSCALING,
    help: 'Share by which a metric may differ from what is wanted before the number of pods changes.',
    default: 0.1,
    min: 0,
  }),
  'horizontal-pod-autoscaler-cpu-initialization-period': duration({
    section: AUTOSCALING,
    help: "So long after its start a pod's use of the processor counts only if it was measured while the pod was ready.",
    default: 300_000,
  }),
  'horizontal-pod-autoscaler-initial-readiness-delay': duration({
    section: AUTOSCALING,
    help: 'A pod that has not been ready so long after its start counts as one that never was.',
    default: 30_000,
  }),
  'terminated-pod-gc-threshold': int({
    section: GENERIC,
    help: 'Finished pods beyond this number are removed, the oldest first; none when it is not above zero.',
    default: 12_500,
    min: -2_147_483_648,
    max: 2_147_483_647,
  }),
  'max-endpoints-per-slice': int({ section: GENERIC, help: 'Endpoints in an EndpointSlice at most.', default: 100, min: 1, max: 1000 }),
  'endpoint-updates-batch-period': duration({
    section: GENERIC,
    help: 'So long changes of pods wait for others before Endpoints are written.',
    default: 0,
  }),
  'endpointslice-updates-batch-period': duration({
    section: GENERIC,
    help: 'So long changes of pods wait for others before EndpointSlices are written.',
    default: 0,
  }),
  'mirroring-concurrent-service-endpoint-syncs': int({
    section: GENERIC,
    help: 'Endpoints that are mirrored at a time.',
    default: 5,
    min: 1,
    max: 1000,
  }),
  'mirroring-max-endpoints-per-subset': int({
    section: GENERIC,
    help: 'Addresses of a subset of Endpoints that are mirrored at most.',
    default: 1000,
    min: 1,
    max: 1000,
  }),
  'mirroring-endpointslice-updates-batch-period': duration({
    section: GENERIC,
    help: 'So long changes of Endpoints wait for others before they are mirrored.',
    default: 0,
  }),
  'legacy-service-account-token-clean-up-period': duration({
    section: GENERIC,
    help: 'Tokens in Secrets that were made without being asked for are taken out of use after so long without a use, and deleted so long after that.',
    default: 8760 * 3_600_000,
  }),
  'cluster-signing-cert-file': string({
    section: CERTIFICATES,
    help: 'Certificate (PEM) of the authority that signs approved requests for certificates. Without one none are signed.',
    default: '',
  }),
  'cluster-signing-key-file': string({ section: CERTIFICATES, help: 'Private key (PEM) of --cluster-signing-cert-file.', default: '' }),
  'cluster-signing-duration': duration({
    section: CERTIFICATES,
    help: 'What is signed is good for so long, or for the shorter time that the request asks for.',
    default: 365 * 86_400_000,
  }),
  'cluster-signing-kube-apiserver-client-cert-file': string({
    section: CERTIFICATES,
    help: 'The same for certificates of clients alone; instead of --cluster-signing-cert-file.',
    default: '',
  }),
  'cluster-signing-kube-apiserver-client-key-file': string({
    section: CERTIFICATES,
    help: 'Private key (PEM) of --cluster-signing-kube-apiserver-client-cert-file.',
    default: '',
  }),
  'cluster-signing-kubelet-client-cert-file': string({
    section: CERTIFICATES,
    help: 'The same for certificates of nodes as clients alone; instead of --cluster-signing-cert-file.',
    default: '',
  }),
  'cluster-signing-kubelet-client-key-file': string({
    section: CERTIFICATES,
    help: 'Private key (PEM) of --cluster-signing-kubelet-client-cert-file.',
    default: '',
  }),
  'cluster-signing-kubelet-serving-cert-file': string({
    section: CERTIFICATES,
    help: 'The same for certificates of nodes as servers alone; instead of --cluster-signing-cert-file.',
    default: '',
  }),
  'cluster-signing-kubelet-serving-key-file': string({
    section: CERTIFICATES,
    help: 'Private key (PEM) of --cluster-signing-kubelet-serving-cert-file.',
    default: '',
  }),
  'cluster-signing-legacy-unknown-cert-file': string({
    section: CERTIFICATES,
    help: 'The same for certificates of what no other signer takes alone; instead of --cluster-signing-cert-file.',
    default: '',
  }),
  'cluster-signing-legacy-unknown-key-file': string({
    section: CERTIFICATES,
    help: 'Private key (PEM) of --cluster-signing-legacy-unknown-cert-file.',
    default: '',
  }),
  'log-level': logLevelFlag(GENERIC),
  v: verbosityFlag(GENERIC),
  version: versionFlag(GENERIC),
  'use-service-account-credentials': bool({
    section: CLIENT,
    help: 'Let each controller act as a service account of its own in the system namespace, with only the rights that it needs.',
    default: false,
  }),
  kubeconfig: string({
    section: CLIENT,
    help: 'File that says how to reach the API servers. By default what a workload finds in its container.',
    default: '',
  }),
  master: list({
    section: CLIENT,
    help: 'Addresses of the API servers (comma separated; all serve the same API), in place of the one in the kubeconfig.',
    default: [],
  }),
  'kube-api-content-type': choice({
    section: CLIENT,
    help: 'How collections are followed: as JSON, or in the binary form where their kind has one (half the bytes, three times the work).',
    default: 'application/json',
    words: ['application/json', 'application/vnd.kubernetes.protobuf', 'application/vnd.platform.protobuf'],
  }),
  'http1-only': bool({ section: CLIENT, help: 'Speak HTTP/1.1 instead of HTTP/2.', default: false }),
  'leader-elect': bool({ section: ELECTION, help: 'Of several copies of a controller let only one work.', default: true }),
  'leader-elect-lease-duration': duration({
    section: ELECTION,
    help: 'After so long without a sign of the active copy another one takes over.',
    default: 12_000,
  }),
  'leader-elect-renew-deadline': duration({
    section: ELECTION,
    help: 'The active copy renews its lease after half of this time, and gives up when it could not for all of it. Must be less than the lease duration.',
    default: 8_000,
  }),
  'leader-elect-retry-period': duration({
    section: ELECTION,
    help: 'Time between two attempts to renew a lease, and between two looks at the lease of another.',
    default: 2_000,
  }),
  'leader-elect-resource-namespace': string({
    section: ELECTION,
    help: 'Namespace of the leases. By default the system namespace.',
    default: '',
  }),
  'leader-elect-resource-name': string({
    section: ELECTION,
    help: 'Leases are called this, a hyphen, and the name of the controller.',
    default: 'controller',
  }),
  'bind-address': string({
    section: SERVING,
    help: 'Address for health and metrics, over HTTPS; 0.0.0.0 and :: = all.',
    default: '0.0.0.0',
  }),
  'secure-port': int({
    section: SERVING,
    help: 'Port for /healthz, /readyz, /livez and /metrics; 0 = none. The default one is done without when it is taken.',
    default: 10_257,
    min: 0,
    max: 65_535,
  }),
  'tls-cert-file': string({
    section: SERVING,
    help: 'Certificate (PEM) for health and metrics, with those that vouch for it. By default one is made at the start.',
    default: '',
  }),
  'tls-private-key-file': string({ section: SERVING, help: 'Private key (PEM) of --tls-cert-file.', default: '' }),
  'client-ca-file': string({
    section: SERVING,
    help: 'Certificates (PEM) of the authorities that vouch for clients; whom their certificates name is who they are.',
    default: '',
  }),
  'authorization-always-allow-paths': list({
    section: SERVING,
    help: "Paths that everybody may read; one that ends with '*' opens all that begin so. For all others the API server is asked.",
    default: ['/healthz', '/readyz', '/livez'],
  }),
  'authentication-kubeconfig': string({
    section: SERVING,
    help: 'File that says how to reach the API server that is asked whose a token is. By default as for everything else.',
    default: '',
  }),
  'authorization-kubeconfig': string({
    section: SERVING,
    help: 'File that says how to reach the API server that is asked what somebody may do. By default as for everything else.',
    default: '',
  }),
};

export type ControllerFlags = FlagValues<typeof flags>;

/** Returns the error of values that are out of range or contradict each other. */
export function validateFlags(values: ControllerFlags): string | undefined {
  const durationMs = values['leader-elect-lease-duration'];
  const deadlineMs = values['leader-elect-renew-deadline'];
  const retryMs = values['leader-elect-retry-period'];
  if (durationMs < 1_000) return '--leader-elect-lease-duration must be at least 1s';
  if (deadlineMs >= durationMs) return '--leader-elect-renew-deadline must be less than --leader-elect-lease-duration';
  if (retryMs <= 0) return '--leader-elect-retry-period must be more than 0s';
  for (const name of [
    'resource-quota-sync-period',
    'node-monitor-period',
    'node-monitor-grace-period',
    'horizontal-pod-autoscaler-sync-period',
  ] as const)
    if (values[name] < 100) return `--${name} must be at least 100ms`;
  if (isIP(values['bind-address']) === 0) return '--bind-address must be an IP address';
  if ((values['tls-cert-file'] === '') !== (values['tls-private-key-file'] === ''))
    return '--tls-cert-file and --tls-private-key-file belong together';
  if (deadlineMs <= retryMs * 1.2) return '--leader-elect-renew-deadline must be more than 1.2 times --leader-elect-retry-period';
  return undefined;
}
