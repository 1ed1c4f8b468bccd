/**
 * Intended differences between this server's metrics and the recorded ones: series of either server that comparisons
 * ignore, and metric families that only the reference server exposes. The recordings stay as they were recorded.
 */

interface Deviation {
  readonly reason: string;
  readonly series: RegExp;
}

export const SERIES_DEVIATIONS: readonly Deviation[] = [
  { reason: 'admission plug-ins read the cache, those of upstream send requests to the server', series: /^apiserver_selfrequest_total/ },
  {
    reason: 'the same reason: the requests of those plug-ins',
    series: /resource(?:_prefix)?="\/?(?:resourcequotas|limitranges|poddisruptionbudgets|apiservices)[".]/,
  },
  { reason: 'the same reason: requests for a missing namespace', series: /resource="namespaces".*verb="GET"/ },
  { reason: 'other store requests and transactions than upstream', series: /^etcd_/ },
  { reason: 'lists do not request the revision from the store', series: /^apiserver_storage_list_/ },
  { reason: 'a page reads only the objects that it returns', series: /^apiserver_cache_list_fetched_objects_total/ },
  { reason: 'all versions of a custom kind share one cache', series: /_events_received_total\{resource="things/ },
  {
    reason: 'without webhooks and policies their plug-ins are not called',
    series: /name="(?:Mutating|Validating)Admission(?:Webhook|Policy)"/,
  },
  { reason: 'the plug-in has no effect, because ClusterTrustBundles are not served', series: /name="ClusterTrustBundleAttest"/ },
  {
    reason: 'these plug-ins check Service addresses, role escalation and nodes here',
    series: /name="(?:ServiceAddressPermissions|RoleEscalation|NodeRestriction)"/,
  },
  { reason: 'quotas are checked last, with the stored object', series: /name="ResourceQuota"/ },
  {
    reason: 'upstream calls plug-ins for operations that they ignore',
    series: /name="(?:LimitRanger|Priority)",operation="(?:CONNECT|DELETE)"/,
  },
  {
    reason: 'deletion of a system namespace is checked after all other checks',
    series: /name="NamespaceLifecycle",operation="DELETE"/,
  },
  { reason: 'a deletion is admitted only once', series: /admission_step.*operation="DELETE"/ },
  { reason: 'upstream counts almost no non-resource paths', series: /resource="",scope="",subresource="(?!\/livez|openapi\/v3)/ },
  { reason: 'watch events are not counted as response bytes', series: /^apiserver_response_sizes.*verb="WATCH"/ },
  {
    reason: 'a watch releases its seats after its initial events',
    series: /^apiserver_flowcontrol_request_execution.*type="watch"/,
  },
  { reason: 'upstream does not have this metric', series: /^apiserver_watch_event_lag_seconds/ },
  { reason: 'exempt requests are observed with a wait of zero', series: /^apiserver_flowcontrol_request_wait.*priority_level="exempt"/ },
  { reason: 'updates of the node graph are not timed', series: /^node_authorizer_graph/ },
  { reason: 'upstream reports 0 until the first allocation', series: /_allocator_available_/ },
];

/**
 * Requests that upstream does not count, because a filter or the router rejects them; and those that make upstream load
 * a new kind.
 */
export const UNCOUNTED_STEPS: ReadonlySet<string> = new Set([
  'a patch of an unknown type',
  'a method that is not served',
  'a method that nobody knows',
  'alice, who may not',
  'somebody whom nobody knows',
  'nobody, who may not',
  'an impersonation',
  'a definition',
]);

export const isSeriesDeviation = (series: string): boolean => SERIES_DEVIATIONS.some((deviation) => deviation.series.test(series));

interface MissingFamilies {
  readonly reason: string;
  readonly names: readonly string[];
}

/** Families of the reference server that this server does not expose. */
export const MISSING_FAMILIES: readonly MissingFamilies[] = [
  {
    reason: 'the server is not a client of itself and has no work queues: its reconcilers read the cache and write directly',
    names: [
      'apiserver_selfrequest_total',
      'rest_client_exec_plugin_certificate_rotation_age',
      'rest_client_exec_plugin_ttl_seconds',
      'rest_client_request_duration_seconds',
      'rest_client_request_size_bytes',
      'rest_client_requests_total',
      'rest_client_response_size_bytes',
      'rest_client_transport_cache_entries',
      'rest_client_transport_create_calls_total',
      'workqueue_adds_total',
      'workqueue_depth',
      'workqueue_longest_running_processor_seconds',
      'workqueue_queue_duration_seconds',
      'workqueue_retries_total',
      'workqueue_unfinished_work_seconds',
      'workqueue_work_duration_seconds',
    ],
  },
  {
    reason: 'lists are read from the cache, except lists of old revisions and lists while the cache lags',
    names: [
      'apiserver_storage_list_evaluated_objects_total',
      'apiserver_storage_list_fetched_objects_total',
      'apiserver_storage_list_returned_objects_total',
      'apiserver_storage_list_total',
    ],
  },
  {
    reason: 'fair queuing has no virtual clock here, and reads and writes share the seats of a level',
    names: [
      'apiserver_current_inqueue_requests',
      'apiserver_flowcontrol_current_r',
      'apiserver_flowcontrol_dispatch_r',
      'apiserver_flowcontrol_latest_s',
      'apiserver_flowcontrol_next_discounted_s_bounds',
      'apiserver_flowcontrol_next_s_bounds',
      'apiserver_flowcontrol_read_vs_write_current_requests',
      'apiserver_flowcontrol_watch_count_samples',
      'apiserver_request_timestamp_comparison_time',
    ],
  },
  {
    reason: 'Node rejects certificates without alternative names or with SHA-1',
    names: [
      'apiserver_kube_aggregator_x509_insecure_sha1_total',
      'apiserver_kube_aggregator_x509_missing_san_total',
      'apiserver_webhooks_x509_insecure_sha1_total',
      'apiserver_webhooks_x509_missing_san_total',
    ],
  },
  {
    reason: 'exposed only with a KMS plug-in; metrics of version 1 of its API do not exist here',
    names: [
      'apiserver_envelope_encryption_dek_cache_fill_percent',
      'apiserver_storage_data_key_generation_duration_seconds',
      'apiserver_storage_data_key_generation_failures_total',
      'apiserver_storage_envelope_transformation_cache_misses_total',
    ],
  },
  {
    reason: 'every request checks its token itself, at once or with its own webhook call; no lookup is shared',
    names: [
      'authentication_token_cache_active_fetch_count',
      'authentication_token_cache_fetch_total',
      'authentication_token_cache_request_duration_seconds',
    ],
  },
  {
    reason: 'one watch covers the whole store, and Events have no leases',
    names: ['etcd_bookmark_counts', 'etcd_lease_object_counts'],
  },
  {
    reason: 'exposed only when the store is etcd: test/integration/stores/etcd-calls.test.ts',
    names: ['grpc_client_handled_total', 'grpc_client_msg_received_total', 'grpc_client_msg_sent_total', 'grpc_client_started_total'],
  },
  { reason: 'all types share one event window, bounded in bytes', names: ['watch_cache_capacity'] },
  {
    reason: 'documents are generated on request',
    names: [
      'aggregator_discovery_aggregation_count_total',
      'apiextensions_apiserver_validation_ratcheting_seconds',
      'apiextensions_openapi_v2_regeneration_count',
      'apiextensions_openapi_v3_regeneration_count',
    ],
  },
  {
    reason: 'node authorization has no graph whose updates take time',
    names: ['node_authorizer_graph_actions_duration_seconds'],
  },
  {
    reason: 'these belong to a controller, whose process exposes them',
    names: ['node_collector_update_all_nodes_health_duration_seconds', 'node_collector_update_node_health_duration_seconds'],
  },
  { reason: 'the operating system sets no limit', names: ['process_virtual_memory_max_bytes'] },
];

/** Families that the reference server exposes once they have a series, and that this server does not expose at all. */
export const MISSING_FAMILIES_IN_USE: readonly MissingFamilies[] = [
  { reason: 'a request that has timed out is not processed further', names: ['apiserver_request_post_timeout_total'] },
];

/** Families without a series: the tests have no aggregated API server. */
export const EMPTY_FAMILIES: ReadonlySet<string> = new Set(['aggregator_unavailable_apiservice']);
