/**
 * Rows of the dashboard of the API servers about their parts: flow control; watches; cache and store; admission, auditing
 * and aggregated APIs. Every API server counts all objects and changes of the store. Panels about those show the `max` of
 * the servers, because a sum would count each object once for each server.
 */
import type { Row } from './dashboard';
import { graph, largestRates, quantile, RANGE, rates } from './queries';

/** Label matchers: the chosen API servers. */
const SERVER = 'instance=~"$instance"';
/** With all instances chosen, `job` leaves out other programs that export metrics of these names. */
const API_SERVER_JOB = `job="apiserver",${SERVER}`;

export const FAIRNESS: Row = {
  title: 'Priority and fairness',
  panels: [
    graph({
      title: 'Seats in use',
      description: 'Share of the seats of each priority level in use. At 100 % requests wait or are rejected.',
      unit: 'percentunit',
      expr: `sum by (priority_level) (apiserver_flowcontrol_current_executing_seats{${SERVER}}) / sum by (priority_level) (apiserver_flowcontrol_current_limit_seats{${SERVER}} > 0)`,
      legend: '{{priority_level}}',
      thresholds: { warning: 0.8, critical: 1 },
    }),
    graph({
      title: 'Time in queues, 99th percentile',
      description: 'How long requests wait for seats.',
      unit: 's',
      expr: quantile(0.99, 'priority_level', `apiserver_flowcontrol_request_wait_duration_seconds_bucket{${SERVER}}`),
      legend: '{{priority_level}}',
      thresholds: { warning: 0.5, critical: 5 },
    }),
    graph({
      title: 'Rejected requests',
      description: 'Requests that got no seat, by flow schema and reason. Clients receive 429 and repeat them.',
      unit: 'reqps',
      expr: rates('flow_schema, priority_level, reason', `apiserver_flowcontrol_rejected_requests_total{${SERVER}}`),
      legend: '{{flow_schema}} {{reason}}',
    }),
  ],
};

export const WATCHES: Row = {
  title: 'Watches and events',
  panels: [
    graph({
      title: 'Watches by resource',
      description: 'Open watches on the chosen resources, the ten most watched.',
      unit: 'short',
      // The label has the group (`deployments.apps`), the values of the variable do not.
      expr: `topk(10, sum by (resource) (apiserver_registered_watchers{${SERVER},resource=~"$resource.*"}))`,
      legend: '{{resource}}',
    }),
    graph({
      title: 'Events by kind',
      description: 'Events sent to watches, the ten most frequent kinds; one change seen by ten watches is ten events.',
      unit: 'ops',
      expr: largestRates('group, kind', `apiserver_watch_events_total{${SERVER}}`),
      legend: '{{kind}} {{group}}',
    }),
    graph({
      title: 'Event bytes by kind',
      description: 'Bytes of events sent to watches, the ten largest kinds.',
      unit: 'Bps',
      expr: largestRates('group, kind', `apiserver_watch_events_sizes_sum{${SERVER}}`),
      legend: '{{kind}} {{group}}',
    }),
    graph({
      title: 'Delay of events, 99th percentile',
      description: 'Time from the arrival of a change until the event is handed to the connection of the client.',
      unit: 's',
      expr: `topk(10, ${quantile(0.99, 'group, kind', `apiserver_watch_event_lag_seconds_bucket{${SERVER}}`)})`,
      legend: '{{kind}} {{group}}',
      thresholds: { warning: 0.5, critical: 5 },
    }),
    graph({
      title: 'Terminated watches',
      description: 'Watches that were ended because their clients did not keep up.',
      unit: 'ops',
      expr: rates('resource', `apiserver_terminated_watchers_total{${SERVER}}`),
      legend: '{{resource}}',
    }),
    graph({
      title: 'Changes by resource',
      description: 'Changes that the cache of an API server received from the store, the ten most frequent resources.',
      unit: 'ops',
      expr: `topk(10, max by (resource) (rate(apiserver_watch_cache_events_received_total{${SERVER}}[${RANGE}])))`,
      legend: '{{resource}}',
    }),
  ],
};

export const CACHE: Row = {
  title: 'Store and cache',
  panels: [
    graph({
      title: 'Requests to the store',
      description: 'Requests of the API servers to the store, by operation.',
      unit: 'reqps',
      expr: rates('operation', `etcd_requests_total{${API_SERVER_JOB}}`),
      legend: '{{operation}}',
    }),
    graph({
      title: 'Latency of the store, 99th percentile',
      description: 'Time until the store responds, by operation, as the API servers observe it.',
      unit: 's',
      expr: quantile(0.99, 'operation', `etcd_request_duration_seconds_bucket{${API_SERVER_JOB}}`),
      legend: '{{operation}}',
      thresholds: { warning: 0.25, critical: 1 },
    }),
    graph({
      title: 'Failed requests to the store',
      description: 'Requests that the store did not answer or answered with an error, by operation.',
      unit: 'reqps',
      expr: rates('operation', `etcd_request_errors_total{${API_SERVER_JOB}}`),
      legend: '{{operation}}',
    }),
    graph({
      title: 'Stored objects',
      description: 'The ten most frequent resources. A steady rise without more workloads may be a leak.',
      unit: 'short',
      expr: `topk(10, max by (resource) (apiserver_storage_objects{${SERVER}}))`,
      legend: '{{resource}}',
    }),
    graph({
      title: 'Objects that lists read',
      description: 'Objects that lists from the cache looked at, the ten largest resources.',
      unit: 'ops',
      expr: largestRates('resource_prefix', `apiserver_cache_list_fetched_objects_total{${SERVER}}`),
      legend: '{{resource_prefix}}',
    }),
    graph({
      title: 'Wait for the cache, 99th percentile',
      description: 'Time that consistent reads wait until the cache is as new as the store.',
      unit: 's',
      expr: quantile(0.99, 'instance', `apiserver_watch_cache_read_wait_seconds_bucket{${SERVER}}`),
      legend: '{{instance}}',
      thresholds: { warning: 0.1, critical: 1 },
    }),
    graph({
      title: 'Window of changes',
      description: 'Bytes of the recent changes from which watches can resume.',
      unit: 'bytes',
      expr: `watch_cache_window_bytes{${SERVER}}`,
      legend: '{{instance}}',
    }),
    graph({
      title: 'Size of the store',
      description: 'Bytes of the store as it reports them; API servers of one store report the same size.',
      unit: 'bytes',
      expr: `max by (instance) (apiserver_storage_size_bytes{${SERVER}})`,
      legend: '{{instance}}',
    }),
    graph({
      title: 'Reads that the cache could not serve',
      description: 'Consistent reads that were sent to the store.',
      unit: 'ops',
      expr: rates('instance', `watch_cache_consistent_reads_total{${SERVER},success="false"}`),
      legend: '{{instance}}',
    }),
  ],
};

export const EXTENSIONS: Row = {
  title: 'Admission, auditing and aggregation',
  panels: [
    graph({
      title: 'Admission steps, 99th percentile',
      description: 'Time of all plug-ins of a step together.',
      unit: 's',
      expr: quantile(0.99, 'operation, type', `apiserver_admission_step_admission_duration_seconds_bucket{${SERVER}}`),
      legend: '{{type}} {{operation}}',
    }),
    graph({
      title: 'Time in plug-ins',
      description: 'Seconds in a second, the ten plug-ins with the most.',
      unit: 'short',
      expr: largestRates('name', `apiserver_admission_controller_admission_duration_seconds_sum{${SERVER}}`),
      legend: '{{name}}',
    }),
    graph({
      title: 'Webhooks, 99th percentile',
      description: 'Time of admission webhooks, by name.',
      unit: 's',
      expr: quantile(0.99, 'name', `apiserver_admission_webhook_admission_duration_seconds_bucket{${SERVER}}`),
      legend: '{{name}}',
      thresholds: { warning: 1, critical: 5 },
    }),
    graph({
      title: 'Webhook rejections',
      description:
        'Requests that a webhook denied, and its failed calls (calling_webhook_error), also those that the failure policy ignores.',
      unit: 'reqps',
      expr: rates('name, error_type', `apiserver_admission_webhook_rejection_count{${SERVER}}`),
      legend: '{{name}} {{error_type}}',
    }),
    graph({
      title: 'Audit errors',
      description: 'Audit events that could not be written.',
      unit: 'ops',
      expr: rates('plugin', `apiserver_audit_error_total{${SERVER}}`),
      legend: '{{plugin}}',
    }),
    graph({
      title: 'Aggregated APIs without a server',
      description: 'APIServices that are unavailable.',
      unit: 'short',
      expr: `max by (name) (aggregator_unavailable_apiservice{${SERVER}})`,
      legend: '{{name}}',
    }),
  ],
};
