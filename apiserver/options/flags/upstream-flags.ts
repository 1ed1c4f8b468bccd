/**
 * Flags of upstream's server that have no effect here, so that an existing command line either works unchanged or
 * fails with a reason: each accepts the values that describe this server's behaviour and rejects others.
 */
import { compatibilityFlag } from '../../../shared/cli/flags';

const AUDIT_VERSIONS = ['audit.k8s.io/v1', 'audit.platform.io/v1'];
const ON = ['true'];
const OFF = ['false'];
const NONE: readonly string[] = [];

const NO_PROFILES = 'profiles are taken with the means of Node (--inspect, --cpu-prof).';
const OWN_METRICS = 'all metrics are served, with all their labels.';
const NO_BUFFERED_LOG = 'the log is one stream of JSON lines on stderr, written at once.';
const NO_PEERS = 'every replica serves every version, so none has to ask another.';
const ETCD_TIMES = 'the store is watched all the time; nothing is polled, and health checks have a time of their own.';

export const UPSTREAM_FLAGS = {
  'admission-control': compatibilityFlag(NONE, 'use --enable-admission-plugins and --disable-admission-plugins.'),
  'aggregator-reject-forwarding-redirect': compatibilityFlag(ON, 'a redirect of another API server is never passed on.'),
  'allow-metric-labels': compatibilityFlag(NONE, OWN_METRICS),
  'allow-metric-labels-manifest': compatibilityFlag(NONE, OWN_METRICS),
  'allow-privileged': compatibilityFlag(ON, 'who may run privileged pods is said per namespace, by labels and policies.'),
  'audit-log-version': compatibilityFlag(AUDIT_VERSIONS, 'audit events have one version.'),
  'audit-webhook-version': compatibilityFlag(AUDIT_VERSIONS, 'audit events have one version.'),
  'contention-profiling': compatibilityFlag(OFF, NO_PROFILES),
  'cors-allowed-origins': compatibilityFlag(NONE, 'pages of other origins are let in by a proxy in front.'),
  'debug-socket-path': compatibilityFlag(NONE, NO_PROFILES),
  'default-not-ready-toleration-seconds': compatibilityFlag(['300'], 'the time is fixed; DefaultTolerationSeconds can be switched off.'),
  'default-unreachable-toleration-seconds': compatibilityFlag(['300'], 'the time is fixed; DefaultTolerationSeconds can be switched off.'),
  'delete-collection-workers': compatibilityFlag(['1'], 'collections are deleted by one worker each.'),
  'disable-http2-serving': compatibilityFlag(OFF, 'both protocols are served; clients choose.'),
  'disabled-metrics': compatibilityFlag(NONE, OWN_METRICS),
  'egress-selector-config-file': compatibilityFlag(NONE, 'connections are made directly.'),
  'emulated-version': compatibilityFlag(NONE, 'there is one version to be.'),
  'enable-aggregator-routing': compatibilityFlag(ON, 'servers behind Services are reached at their endpoints.'),
  'enable-garbage-collector': compatibilityFlag(
    ON,
    'the controllers have a flag of this name, and what waits for the collector waits in any case.',
  ),
  'endpoint-reconciler-type': compatibilityFlag(['lease'], 'replicas find each other through the store.'),
  'etcd-count-metric-poll-period': compatibilityFlag(NONE, ETCD_TIMES),
  'etcd-db-metric-poll-interval': compatibilityFlag(NONE, ETCD_TIMES),
  'etcd-healthcheck-timeout': compatibilityFlag(NONE, ETCD_TIMES),
  'etcd-readycheck-timeout': compatibilityFlag(NONE, ETCD_TIMES),
  'etcd-servers-overrides': compatibilityFlag(NONE, 'all kinds are kept in one store, in one order.'),
  'kubernetes-service-node-port': compatibilityFlag(['0'], 'the default Service has no port on nodes.'),
  'lease-reuse-duration-seconds': compatibilityFlag(NONE, 'leases of the store are shared by the time at which they end.'),
  'log-flush-frequency': compatibilityFlag(NONE, NO_BUFFERED_LOG),
  'log-json-info-buffer-size': compatibilityFlag(['0'], NO_BUFFERED_LOG),
  'log-json-split-stream': compatibilityFlag(OFF, NO_BUFFERED_LOG),
  'log-text-info-buffer-size': compatibilityFlag(['0'], NO_BUFFERED_LOG),
  'log-text-split-stream': compatibilityFlag(OFF, NO_BUFFERED_LOG),
  'logging-format': compatibilityFlag(['json'], NO_BUFFERED_LOG),
  'max-connection-bytes-per-sec': compatibilityFlag(['0'], 'what one connection may take is bounded by other means.'),
  'peer-advertise-ip': compatibilityFlag(NONE, NO_PEERS),
  'peer-advertise-port': compatibilityFlag(NONE, NO_PEERS),
  'peer-ca-file': compatibilityFlag(NONE, NO_PEERS),
  'permit-address-sharing': compatibilityFlag(OFF, 'an address belongs to one server.'),
  'permit-port-sharing': compatibilityFlag(OFF, 'a port belongs to one server.'),
  profiling: compatibilityFlag(OFF, NO_PROFILES),
  'service-account-lookup': compatibilityFlag(ON, 'a token whose account is gone is never good.'),
  'show-hidden-metrics-for-version': compatibilityFlag(NONE, OWN_METRICS),
  'storage-initialization-timeout': compatibilityFlag(NONE, 'a server is ready as soon as its store is, however long that takes.'),
  'storage-media-type': compatibilityFlag(['application/json'], 'objects are stored as JSON.'),
  'strict-transport-security-directives': compatibilityFlag(NONE, 'there is no plain HTTP to be warned of.'),
  'tls-sni-cert-key': compatibilityFlag(NONE, 'one certificate covers all names.'),
  vmodule: compatibilityFlag(NONE, 'the detail of the log is the same for all parts (-v).'),
  'watch-cache': compatibilityFlag(ON, 'everything is read from the cache.'),
  'watch-cache-sizes': compatibilityFlag(NONE, 'the cache holds what there is, and bounds its history by itself.'),
};
