/**
 * Upstream's stability levels of the metrics that are not in the catalogue, because they are collected at scrape time
 * or have recorders of their own.
 */
import type { Stability } from './metric-row';

/** Metric names by level, separated by white space. */
const NAMES_BY_LEVEL: Readonly<Record<Exclude<Stability, ''>, string>> = {
  STABLE: `
    apiserver_admission_webhook_admission_duration_seconds apiserver_current_inflight_requests apiserver_longrunning_requests apiserver_request_duration_seconds
    apiserver_request_total apiserver_response_sizes apiserver_storage_objects apiserver_storage_size_bytes
    kubernetes_healthcheck kubernetes_healthchecks_total`,
  BETA: `
    apiserver_flowcontrol_current_executing_requests apiserver_flowcontrol_current_executing_seats apiserver_flowcontrol_current_inqueue_requests
    apiserver_flowcontrol_dispatched_requests_total apiserver_flowcontrol_nominal_limit_seats apiserver_flowcontrol_rejected_requests_total
    apiserver_flowcontrol_request_wait_duration_seconds apiserver_validating_admission_policy_check_duration_seconds
    apiserver_validating_admission_policy_check_total disabled_metrics_total hidden_metrics_total kubernetes_feature_enabled registered_metrics_total`,
  ALPHA: `
    apiserver_authentication_config_controller_automatic_reloads_total apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds
    apiserver_authorization_config_controller_automatic_reloads_total apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds
    apiserver_encryption_config_controller_automatic_reloads_total apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds
    aggregator_unavailable_apiservice apiserver_admission_webhook_fail_open_count apiserver_admission_webhook_rejection_count
    apiserver_admission_webhook_request_total apiserver_audit_error_total apiserver_audit_event_total apiserver_audit_level_total
    apiserver_audit_requests_rejected_total apiserver_clusterip_repair_ip_errors_total apiserver_clusterip_repair_reconcile_errors_total
    apiserver_current_inqueue_requests apiserver_flowcontrol_current_inqueue_seats apiserver_flowcontrol_current_limit_seats
    apiserver_flowcontrol_demand_seats_average apiserver_flowcontrol_demand_seats_high_watermark apiserver_flowcontrol_demand_seats_smoothed
    apiserver_flowcontrol_demand_seats_stdev apiserver_flowcontrol_lower_limit_seats apiserver_flowcontrol_request_concurrency_in_use
    apiserver_flowcontrol_request_execution_seconds apiserver_flowcontrol_request_queue_length_after_enqueue apiserver_flowcontrol_seat_fair_frac
    apiserver_flowcontrol_target_seats apiserver_flowcontrol_upper_limit_seats apiserver_flowcontrol_work_estimated_seats
    apiserver_nodeport_repair_port_errors_total apiserver_nodeport_repair_reconcile_errors_total apiserver_request_sli_duration_seconds
    apiserver_storage_decode_errors_total apiserver_storage_events_received_total apiserver_init_events_total apiserver_watch_cache_events_received_total
    apiserver_watch_cache_events_dispatched_total apiserver_watch_cache_initializations_total apiserver_watch_cache_resource_version apiserver_watch_events_sizes apiserver_watch_events_total
    authenticated_user_requests authentication_attempts authorization_attempts_total kube_apiserver_clusterip_allocator_allocated_ips
    kube_apiserver_clusterip_allocator_allocation_errors_total kube_apiserver_clusterip_allocator_allocation_total
    kube_apiserver_clusterip_allocator_available_ips kube_apiserver_nodeport_allocator_allocated_ports
    kube_apiserver_nodeport_allocator_allocation_errors_total kube_apiserver_nodeport_allocator_allocation_total
    kube_apiserver_nodeport_allocator_available_ports kubernetes_build_info
    serviceaccount_invalid_legacy_auto_token_uses_total serviceaccount_legacy_auto_token_uses_total
    serviceaccount_legacy_manual_token_uses_total serviceaccount_legacy_tokens_total serviceaccount_stale_tokens_total
    serviceaccount_valid_tokens_total watch_cache_capacity`,
};

function withStability(stability: Exclude<Stability, ''>): (readonly [string, Stability])[] {
  return NAMES_BY_LEVEL[stability]
    .trim()
    .split(/\s+/)
    .map((name) => [name, stability]);
}

/** By metric name. */
export const UPSTREAM_STABILITY: ReadonlyMap<string, Stability> = new Map([
  ...withStability('STABLE'),
  ...withStability('BETA'),
  ...withStability('ALPHA'),
]);
