/**
 * The catalogue of counters, gauges, histograms and summaries, with upstream's name, stability, labels and buckets
 * where upstream has the metric. `Meters` records and exposes them.
 */
import { CERTIFICATE_EXPIRATION_HELP, CERTIFICATE_EXPIRATION_METRIC } from '../../../shared/pki/certificate-expirations';
import { ACCESS_METRIC_ROWS } from './access-metric-rows';
import { DURATION_BUCKETS, SLI_BUCKETS } from './buckets';
import { exponentialBuckets, type MetricRow } from './metric-row';

/** Upper bounds: of sizes in bytes, of all others in seconds. */
const CONVERSION_BUCKETS = exponentialBuckets(2, 0.001, 15);
const BODY_SIZE_BUCKETS = Array.from({ length: 31 }, (_, index) => 50_000 + index * 100_000);
const FILTER_BUCKETS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30];
const READ_WAIT_BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3];
const WATCH_LIST_BUCKETS = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60];
const CONVERSION_CALL_BUCKETS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];

/** By name. */
export const CATALOGUE = {
  ...ACCESS_METRIC_ROWS,
  aggregator_unavailable_apiservice_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Transitions of APIServices to unavailable, by reason.',
    labels: ['name', 'reason'],
  },
  apiserver_cache_list_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Lists served from the watch cache.',
    labels: ['resource_prefix', 'index'],
  },
  apiserver_cache_list_fetched_objects_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Objects that lists read from the watch cache.',
    labels: ['resource_prefix', 'index'],
  },
  apiserver_cache_list_returned_objects_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Objects that lists returned from the watch cache.',
    labels: ['resource_prefix'],
  },
  apiserver_conversion_webhook_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Latency of conversion webhooks.',
    labels: ['failure_type', 'result'],
    buckets: CONVERSION_CALL_BUCKETS,
  },
  apiserver_conversion_webhook_request_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Calls of conversion webhooks.',
    labels: ['failure_type', 'result'],
  },
  apiserver_backend_connections: {
    type: 'gauge',
    stability: '',
    help: 'Open connections to kubelets, idle ones included, and to proxied pods, Services and nodes.',
    labels: ['backend'],
  },
  apiserver_backend_rejected_requests_total: {
    type: 'counter',
    stability: '',
    help: 'Requests to kubelets and proxied servers that were rejected because too many are open.',
    labels: [],
  },
  apiserver_crd_conversion_webhook_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Duration of conversions of custom resources by webhook.',
    labels: ['crd_name', 'from_version', 'succeeded', 'to_version'],
    buckets: CONVERSION_BUCKETS,
    maxSeries: 1_000,
  },
  apiserver_encryption_missing_key_objects: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'Stored objects that need a key which a refused EncryptionConfiguration does not have.',
    labels: ['resource', 'provider', 'key'],
    maxSeries: 200,
  },
  apiserver_envelope_encryption_dek_source_cache_size: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'Data encryption keys in the cache, which need no call of the KMS plug-in.',
    labels: ['provider_name'],
  },
  apiserver_envelope_encryption_invalid_key_id_from_status_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Invalid key IDs in status responses of KMS plug-ins.',
    labels: ['provider_name', 'error'],
  },
  apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'Unix time of the last use of a key encryption key.',
    labels: ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
  },
  apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'Unix time of the last status response that named this key ID.',
    labels: ['provider_name', 'key_id_hash', 'apiserver_id_hash'],
  },
  apiserver_envelope_encryption_key_id_hash_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Encryptions and decryptions, by key encryption key.',
    labels: ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
  },
  apiserver_envelope_encryption_kms_operations_latency_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Latency of calls of KMS plug-ins, by gRPC status code.',
    labels: ['provider_name', 'method_name', 'grpc_status_code'],
    buckets: exponentialBuckets(2, 0.0001, 20),
  },
  apiserver_request_aborts_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests whose handling was aborted before a response was sent.',
    labels: ['verb', 'group', 'version', 'resource', 'subresource', 'scope'],
  },
  apiserver_request_terminations_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests that the server terminated in self-defense.',
    labels: ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component', 'code'],
  },
  apiserver_peer_clock_offset_seconds: {
    type: 'gauge',
    stability: '',
    help: 'Clock offset of the API server that differs most from this one; negative when it is behind.',
    labels: [],
  },
  apiserver_peers_with_other_settings: {
    type: 'gauge',
    stability: '',
    help: 'API servers on the same store whose settings differ although they must be equal in a cluster.',
    labels: [],
  },
  [CERTIFICATE_EXPIRATION_METRIC]: {
    type: 'gauge',
    stability: '',
    help: CERTIFICATE_EXPIRATION_HELP,
    labels: ['certificate'],
  },
  apiserver_request_body_size_bytes: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Size of request bodies in bytes.',
    labels: ['resource', 'verb'],
    buckets: BODY_SIZE_BUCKETS,
  },
  apiserver_request_filter_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Latency of request filters.',
    labels: ['filter'],
    buckets: FILTER_BUCKETS,
  },
  apiserver_requested_deprecated_apis: {
    type: 'gauge',
    stability: 'STABLE',
    help: 'Deprecated API versions that were requested.',
    labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
  },
  apiserver_start_held_requests: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'Requests that wait until the server is ready.',
    labels: [],
  },
  apiserver_start_held_requests_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests that arrived before the server was ready, by outcome: served, refused, stopped, disconnected.',
    labels: ['outcome'],
  },
  apiserver_storage_data_key_generation_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Time to generate a data encryption key.',
    labels: [],
    buckets: exponentialBuckets(2, 0.000005, 14),
  },
  apiserver_storage_data_key_generation_failures_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Data encryption keys that could not be generated.',
    labels: [],
  },
  apiserver_storage_envelope_transformation_cache_misses_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Values whose data encryption key was not in the cache.',
    labels: [],
  },
  apiserver_storage_list_total: { type: 'counter', stability: 'ALPHA', help: 'Lists that were read from the store.', labels: ['resource'] },
  apiserver_storage_list_fetched_objects_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Objects that lists read from the store.',
    labels: ['resource'],
  },
  apiserver_storage_list_evaluated_objects_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Objects from the store that lists matched against their selectors.',
    labels: ['resource'],
  },
  apiserver_storage_list_returned_objects_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Objects that lists returned from the store.',
    labels: ['resource'],
  },
  apiserver_storage_transformation_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Time to encrypt or decrypt a value.',
    labels: ['transformation_type', 'transformer_prefix'],
    buckets: exponentialBuckets(2, 0.000005, 25),
  },
  apiserver_storage_transformation_operations_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Encryptions and decryptions of values, by status.',
    labels: ['transformation_type', 'transformer_prefix', 'status'],
  },
  apiserver_terminated_watchers_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Watches that were ended because the client read too slowly.',
    labels: ['resource'],
  },
  apiserver_tls_handshake_errors_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'TLS handshakes that failed.',
    labels: [],
  },
  apiserver_unread_answers_total: {
    type: 'counter',
    stability: '',
    help: 'Responses, watches and connections that were ended because the client read nothing for --unread-response-timeout or too many bytes were buffered.',
    labels: ['kind'],
  },
  apiserver_watch_cache_consistent_read_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Consistent lists, by whether the watch cache could serve them.',
    labels: ['fallback', 'resource', 'success'],
  },
  apiserver_watch_cache_read_wait_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Time that reads waited until the watch cache had the revision of the store.',
    labels: ['resource'],
    buckets: READ_WAIT_BUCKETS,
  },
  apiserver_watch_event_lag_seconds: {
    type: 'histogram',
    stability: '',
    help: 'Time that watch events wait in this process until they are written to the connection of the client.',
    labels: ['group', 'version', 'kind'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  apiserver_watch_list_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Time until a streaming list has sent its initial events.',
    labels: ['group', 'version', 'resource', 'scope'],
    buckets: WATCH_LIST_BUCKETS,
  },
  cardinality_enforcement_unexpected_categorizations_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Label values that were counted as other because a metric had too many series.',
    labels: [],
  },
  etcd_request_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Latency of requests to the store.',
    labels: ['operation', 'type'],
    buckets: DURATION_BUCKETS,
  },
  etcd_request_errors_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests to the store that failed.',
    labels: ['operation', 'type'],
  },
  etcd_requests_total: { type: 'counter', stability: 'ALPHA', help: 'Requests to the store.', labels: ['operation', 'type'] },
  field_validation_request_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Latency of writes, by field validation directive.',
    labels: ['field_validation'],
    buckets: SLI_BUCKETS,
  },
  kube_apiserver_pod_logs_backend_tls_failure_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests for pod logs that failed because the serving certificate of the kubelet is not trusted.',
    labels: [],
  },
  kube_apiserver_pod_logs_insecure_backend_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests for pod logs, by whether the serving certificate of the kubelet is verified.',
    labels: ['usage'],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

/** A metric of the catalogue. */
export type MetricName = keyof typeof CATALOGUE;
/** The metrics of the given types. */
type NamesOf<T extends MetricRow['type']> = { [N in MetricName]: (typeof CATALOGUE)[N]['type'] extends T ? N : never }[MetricName];
/** A counter or gauge of the catalogue. */
export type NumberMetricName = NamesOf<'counter' | 'gauge'>;
/** A histogram or summary of the catalogue. */
export type ObservedMetricName = NamesOf<'histogram' | 'summary'>;
/** A value for each label, in the order of the row. */
export type LabelValues<N extends MetricName> = StringsFor<(typeof CATALOGUE)[N]['labels']>;
/** A tuple of as many strings. */
type StringsFor<L extends readonly string[]> = { readonly [K in keyof L]: string };
