/**
 * Flags of upstream's server that have no effect here, so that an existing command line either works unchanged or
 * fails with a reason: each accepts the values that describe this server's behaviour and rejects others.
 */
import { compatibilityFlag } from '../../../shared/cli/flags';

const AUDIT_VERSIONS = ['audit.k8s.io/v1', 'audit.platform.io/v1'];
const ON = ['true'];
const OFF = ['false'];
/** Every value is refused. */
const NONE: readonly string[] = [];

/** Reasons that several flags share. */
const NO_PROFILES = "Node's own tools take profiles (--inspect, --cpu-prof).";
const OWN_METRICS = 'all metrics are exposed with all their labels.';
const NO_BUFFERED_LOG = 'the log is one stream of JSON lines on stderr, written immediately.';
const NO_PEERS = 'every replica serves every version, so requests are not forwarded to peers.';
const ETCD_TIMES = 'the store is watched, not polled; health checks have a fixed time limit.';

/** By name, the accepted values and the reason with which other values are refused. */
export const UPSTREAM_FLAGS = {
  'admission-control': compatibilityFlag(NONE, 'use --enable-admission-plugins and --disable-admission-plugins.'),
  'aggregator-reject-forwarding-redirect': compatibilityFlag(ON, 'redirects of aggregated API servers are never passed on.'),
  'allow-metric-labels': compatibilityFlag(NONE, OWN_METRICS),
  'allow-metric-labels-manifest': compatibilityFlag(NONE, OWN_METRICS),
  'allow-privileged': compatibilityFlag(ON, 'privileged pods are allowed per namespace, by labels and policies.'),
  'audit-log-version': compatibilityFlag(AUDIT_VERSIONS, 'there is one version of audit events.'),
  'audit-webhook-version': compatibilityFlag(AUDIT_VERSIONS, 'there is one version of audit events.'),
  'contention-profiling': compatibilityFlag(OFF, NO_PROFILES),
  'cors-allowed-origins': compatibilityFlag(NONE, 'cross-origin requests are allowed by a proxy in front of the server.'),
  'debug-socket-path': compatibilityFlag(NONE, NO_PROFILES),
  'default-not-ready-toleration-seconds': compatibilityFlag(['300'], 'the time is fixed; DefaultTolerationSeconds can be disabled.'),
  'default-unreachable-toleration-seconds': compatibilityFlag(['300'], 'the time is fixed; DefaultTolerationSeconds can be disabled.'),
  'delete-collection-workers': compatibilityFlag(['1'], 'each deletion of a collection uses one worker.'),
  'disable-http2-serving': compatibilityFlag(OFF, 'both protocols are served, and clients choose.'),
  'disabled-metrics': compatibilityFlag(NONE, OWN_METRICS),
  'egress-selector-config-file': compatibilityFlag(NONE, 'connections are opened directly.'),
  'emulated-version': compatibilityFlag(NONE, 'there is one version to emulate.'),
  'enable-aggregator-routing': compatibilityFlag(ON, 'Services are reached at their endpoints.'),
  'enable-garbage-collector': compatibilityFlag(
    ON,
    'the controllers have a flag of this name; finalizers of the garbage collector are honoured in any case.',
  ),
  'endpoint-reconciler-type': compatibilityFlag(['lease'], 'replicas find each other in the store.'),
  'etcd-count-metric-poll-period': compatibilityFlag(NONE, ETCD_TIMES),
  'etcd-db-metric-poll-interval': compatibilityFlag(NONE, ETCD_TIMES),
  'etcd-healthcheck-timeout': compatibilityFlag(NONE, ETCD_TIMES),
  'etcd-readycheck-timeout': compatibilityFlag(NONE, ETCD_TIMES),
  'etcd-servers-overrides': compatibilityFlag(NONE, 'all kinds share one store with one revision.'),
  'kubernetes-service-node-port': compatibilityFlag(['0'], 'the default Service has no node port.'),
  'lease-reuse-duration-seconds': compatibilityFlag(NONE, 'leases of the store are shared by expiration time.'),
  'log-flush-frequency': compatibilityFlag(NONE, NO_BUFFERED_LOG),
  'log-json-info-buffer-size': compatibilityFlag(['0'], NO_BUFFERED_LOG),
  'log-json-split-stream': compatibilityFlag(OFF, NO_BUFFERED_LOG),
  'log-text-info-buffer-size': compatibilityFlag(['0'], NO_BUFFERED_LOG),
  'log-text-split-stream': compatibilityFlag(OFF, NO_BUFFERED_LOG),
  'logging-format': compatibilityFlag(['json'], NO_BUFFERED_LOG),
  'max-connection-bytes-per-sec': compatibilityFlag(['0'], 'connections are limited by other flags.'),
  'peer-advertise-ip': compatibilityFlag(NONE, NO_PEERS),
  'peer-advertise-port': compatibilityFlag(NONE, NO_PEERS),
  'peer-ca-file': compatibilityFlag(NONE, NO_PEERS),
  'permit-address-sharing': compatibilityFlag(OFF, 'each address is used by one server only.'),
  'permit-port-sharing': compatibilityFlag(OFF, 'each port is used by one server only.'),
  profiling: compatibilityFlag(OFF, NO_PROFILES),
  'service-account-lookup': compatibilityFlag(ON, 'a token is invalid as soon as its service account is deleted.'),
  'show-hidden-metrics-for-version': compatibilityFlag(NONE, OWN_METRICS),
  'storage-initialization-timeout': compatibilityFlag(NONE, 'a server becomes ready as soon as its store is, without a time limit.'),
  'storage-media-type': compatibilityFlag(['application/json'], 'objects are stored as JSON.'),
  'strict-transport-security-directives': compatibilityFlag(NONE, 'no plain HTTP is served that would need a warning.'),
  'tls-sni-cert-key': compatibilityFlag(NONE, 'one certificate covers all names.'),
  vmodule: compatibilityFlag(NONE, 'the log level applies to all modules (-v).'),
  'watch-cache': compatibilityFlag(ON, 'all reads are served by the watch cache.'),
  'watch-cache-sizes': compatibilityFlag(NONE, 'the watch cache holds all objects and limits its history by itself.'),
};
