/**
 * Where this server's metrics are other than the recorded ones on purpose: series of either side that are left out when they are compared, and families that
 * are shown by the reference server only. The recordings stay as they were recorded.
 */

interface Deviation {
  readonly reason: string;
  readonly series: RegExp;
}

export const SERIES_DEVIATIONS: readonly Deviation[] = [
  { reason: 'plug-ins look into the cache, where upstream’s ask the server itself', series: /^apiserver_selfrequest_total/ },
  {
    reason: 'the same, as requests',
    series: /resource(?:_prefix)?="\/?(?:resourcequotas|limitranges|poddisruptionbudgets|apiservices)[".]/,
  },
  { reason: 'the same, for a namespace that is not there', series: /resource="namespaces".*verb="GET"/ },
  { reason: 'what is read of the store, and what is written at once, is another matter', series: /^etcd_/ },
  { reason: 'no list asks the store for its revision', series: /^apiserver_storage_list_/ },
  { reason: 'a page looks at no more than it shows', series: /^apiserver_cache_list_fetched_objects_total/ },
  { reason: 'one cache holds all versions of a custom kind', series: /_events_received_total\{resource="things/ },
  { reason: 'webhooks and policies that are not there are not asked', series: /name="(?:Mutating|Validating)Admission(?:Webhook|Policy)"/ },
  { reason: 'there is no such kind', series: /name="ClusterTrustBundleAttest"/ },
  {
    reason: 'who may give away addresses and rights is asked here',
    series: /name="(?:DenyServiceExternalIPs|RoleEscalation|NodeRestriction)"/,
  },
  { reason: 'quotas are asked last, of what is stored', series: /name="ResourceQuota"/ },
  {
    reason: 'plug-ins are asked about operations on which they have nothing to say',
    series: /name="(?:LimitRanger|Priority)",operation="(?:CONNECT|DELETE)"/,
  },
  {
    reason: 'whether a system namespace may go is asked when nothing else is wrong',
    series: /name="NamespaceLifecycle",operation="DELETE"/,
  },
  { reason: 'a deletion is admitted once', series: /admission_step.*operation="DELETE"/ },
  { reason: 'upstream counts hardly any path that is no resource', series: /resource="",scope="",subresource="(?!\/livez|openapi\/v3)/ },
  { reason: 'events of a watch are no answer', series: /^apiserver_response_sizes.*verb="WATCH"/ },
  {
    reason: 'a watch gives back its seats once it has told what there was',
    series: /^apiserver_flowcontrol_request_execution.*type="watch"/,
  },
  { reason: 'upstream has no such metric', series: /^apiserver_watch_event_lag_seconds/ },
  { reason: 'who never waits is known to have waited no time', series: /^apiserver_flowcontrol_request_wait.*priority_level="exempt"/ },
  { reason: 'the graph of nodes is not timed', series: /^node_authorizer_graph/ },
  { reason: 'upstream’s are 0 until something is allocated', series: /_allocator_available_/ },
];

/** Requests that upstream counts nowhere, because filters or the router refuse them; and those by which it makes itself ready for a new kind. */
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

/** Families of the reference server that are not shown here. */
export const MISSING_FAMILIES: readonly MissingFamilies[] = [
  {
    reason: 'the server is not its own client and has no queues: it follows its cache, and what it keeps in order has no clients between',
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
    reason: 'lists are never read from the store here, but for those of the past, and those while the cache does not keep up',
    names: [
      'apiserver_storage_list_evaluated_objects_total',
      'apiserver_storage_list_fetched_objects_total',
      'apiserver_storage_list_returned_objects_total',
      'apiserver_storage_list_total',
    ],
  },
  {
    reason: 'fair queuing has no virtual clock here, and reads and writes share the seats of their levels',
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
    reason: 'certificates without alternative names, or with SHA-1, are refused by the runtime',
    names: [
      'apiserver_kube_aggregator_x509_insecure_sha1_total',
      'apiserver_kube_aggregator_x509_missing_san_total',
      'apiserver_webhooks_x509_insecure_sha1_total',
      'apiserver_webhooks_x509_missing_san_total',
    ],
  },
  {
    reason: 'told only where a service keeps keys of encryption; what counts version 1 of its API is not told',
    names: [
      'apiserver_envelope_encryption_dek_cache_fill_percent',
      'apiserver_storage_data_key_generation_duration_seconds',
      'apiserver_storage_data_key_generation_failures_total',
      'apiserver_storage_envelope_transformation_cache_misses_total',
    ],
  },
  {
    reason: 'a token that is looked for is checked in the same turn or by its own request: nobody waits for another one’s look',
    names: [
      'authentication_token_cache_active_fetch_count',
      'authentication_token_cache_fetch_total',
      'authentication_token_cache_request_duration_seconds',
    ],
  },
  {
    reason: 'one watch follows all of the store, and Events have no leases',
    names: ['etcd_bookmark_counts', 'etcd_lease_object_counts'],
  },
  {
    reason: 'told only where the store is etcd: test/integration/stores/etcd-calls.test.ts',
    names: ['grpc_client_handled_total', 'grpc_client_msg_received_total', 'grpc_client_msg_sent_total', 'grpc_client_started_total'],
  },
  { reason: 'one window of bytes is shared by all types', names: ['watch_cache_capacity'] },
  {
    reason: 'documents are made when they are asked for',
    names: [
      'aggregator_discovery_aggregation_count_total',
      'apiextensions_apiserver_validation_ratcheting_seconds',
      'apiextensions_openapi_v2_regeneration_count',
      'apiextensions_openapi_v3_regeneration_count',
    ],
  },
  {
    reason: 'who may what on nodes is not worked out in a graph that takes time',
    names: ['node_authorizer_graph_actions_duration_seconds'],
  },
  {
    reason: 'they belong to a controller, whose process shows them',
    names: ['node_collector_update_all_nodes_health_duration_seconds', 'node_collector_update_node_health_duration_seconds'],
  },
  { reason: 'the system sets no bound', names: ['process_virtual_memory_max_bytes'] },
];

/** Families that the reference server shows when there is something to show, and that are not shown here at all. */
export const MISSING_FAMILIES_IN_USE: readonly MissingFamilies[] = [
  { reason: 'nobody goes on with a request whose time is over', names: ['apiserver_request_post_timeout_total'] },
];

/** Families without a series: there is no server of another APIService. */
export const EMPTY_FAMILIES: ReadonlySet<string> = new Set(['aggregator_unavailable_apiservice']);
