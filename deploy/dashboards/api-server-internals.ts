/** Rows of the dashboard of the API servers about their parts: flow control, watches, cache and store, admission. */
import type { Row } from './dashboard';
import { graph, largestRates, quantile, RANGE, rates } from './queries';

const SERVER = 'instance=~"$instance"';
const STORE = `job="apiserver",${SERVER}`;

export const FAIRNESS: Row = {
  title: 'Priority and fairness',
  panels: [
    graph(
      'Seats in use',
      'Share of the seats of each priority level in use. At 100 % requests wait or are rejected.',
      'percentunit',
      {
        expr: `sum by (priority_level) (apiserver_flowcontrol_current_executing_seats{${SERVER}}) / sum by (priority_level) (apiserver_flowcontrol_current_limit_seats{${SERVER}} > 0)`,
        legend: '{{priority_level}}',
      },
      { thresholds: { warning: 0.8, critical: 1 } },
    ),
    graph(
      'Time in queues, 99th percentile',
      'How long requests wait for seats.',
      's',
      {
        expr: quantile(0.99, 'priority_level', `apiserver_flowcontrol_request_wait_duration_seconds_bucket{${SERVER}}`),
        legend: '{{priority_level}}',
      },
      { thresholds: { warning: 0.5, critical: 5 } },
    ),
    graph('Rejected requests', 'Requests that got no seat, by flow schema and reason. Clients receive 429 and repeat them.', 'reqps', {
      expr: rates('flow_schema, priority_level, reason', `apiserver_flowcontrol_rejected_requests_total{${SERVER}}`),
      legend: '{{flow_schema}} {{reason}}',
    }),
  ],
};

export const WATCHES: Row = {
  title: 'Watches and events',
  panels: [
    graph('Watches by resource', 'Open watches, the ten most watched resources.', 'short', {
      expr: `topk(10, sum by (resource) (apiserver_registered_watchers{${SERVER},resource=~"$resource.*"}))`,
      legend: '{{resource}}',
    }),
    graph('Events by kind', 'Events sent to watches, the ten most frequent kinds: changes times watches.', 'ops', {
      expr: largestRates('group, kind', `apiserver_watch_events_total{${SERVER}}`),
      legend: '{{kind}} {{group}}',
    }),
    graph('Event bytes by kind', 'Bytes of events sent to watches, the ten largest kinds.', 'Bps', {
      expr: largestRates('group, kind', `apiserver_watch_events_sizes_sum{${SERVER}}`),
      legend: '{{kind}} {{group}}',
    }),
    graph(
      'Delay of events, 99th percentile',
      'Time from the arrival of a change until the event is handed to the connection of the client.',
      's',
      {
        expr: `topk(10, ${quantile(0.99, 'group, kind', `apiserver_watch_event_lag_seconds_bucket{${SERVER}}`)})`,
        legend: '{{kind}} {{group}}',
      },
      { thresholds: { warning: 0.5, critical: 5 } },
    ),
    graph('Terminated watches', 'Watches that were ended because their clients did not keep up.', 'ops', {
      expr: rates('resource', `apiserver_terminated_watchers_total{${SERVER}}`),
      legend: '{{resource}}',
    }),
    graph('Changes by resource', 'Changes that the cache received from the store, the ten most frequent resources.', 'ops', {
      expr: `topk(10, max by (resource) (rate(apiserver_watch_cache_events_received_total{${SERVER}}[${RANGE}])))`,
      legend: '{{resource}}',
    }),
  ],
};

export const CACHE: Row = {
  title: 'Store and cache',
  panels: [
    graph('Requests to the store', 'By operation.', 'reqps', {
      expr: rates('operation', `etcd_requests_total{${STORE}}`),
      legend: '{{operation}}',
    }),
    graph(
      'Latency of the store, 99th percentile',
      'By operation, as the API servers observe it.',
      's',
      {
        expr: quantile(0.99, 'operation', `etcd_request_duration_seconds_bucket{${STORE}}`),
        legend: '{{operation}}',
      },
      { thresholds: { warning: 0.25, critical: 1 } },
    ),
    graph('Failed requests to the store', 'By operation.', 'reqps', {
      expr: rates('operation', `etcd_request_errors_total{${STORE}}`),
      legend: '{{operation}}',
    }),
    graph('Stored objects', 'The ten most frequent resources. A steady rise is a leak.', 'short', {
      expr: `topk(10, max by (resource) (apiserver_storage_objects{${SERVER}}))`,
      legend: '{{resource}}',
    }),
    graph('Objects that lists read', 'Objects that lists from the cache looked at, the ten largest resources.', 'ops', {
      expr: largestRates('resource_prefix', `apiserver_cache_list_fetched_objects_total{${SERVER}}`),
      legend: '{{resource_prefix}}',
    }),
    graph(
      'Wait for the cache, 99th percentile',
      'Time that consistent reads wait until the cache is as new as the store.',
      's',
      {
        expr: quantile(0.99, 'instance', `apiserver_watch_cache_read_wait_seconds_bucket{${SERVER}}`),
        legend: '{{instance}}',
      },
      { thresholds: { warning: 0.1, critical: 1 } },
    ),
    graph('Window of changes', 'Bytes of the recent changes from which watches can resume.', 'bytes', {
      expr: `watch_cache_window_bytes{${SERVER}}`,
      legend: '{{instance}}',
    }),
    graph('Size of the store', 'As the store reports it.', 'bytes', {
      expr: `max by (instance) (apiserver_storage_size_bytes{${SERVER}})`,
      legend: '{{instance}}',
    }),
    graph('Reads that the cache could not serve', 'Consistent reads that were sent to the store.', 'ops', {
      expr: rates('instance', `watch_cache_consistent_reads_total{${SERVER},success="false"}`),
      legend: '{{instance}}',
    }),
  ],
};

export const ADMISSION: Row = {
  title: 'Admission',
  panels: [
    graph('Admission steps, 99th percentile', 'Time of all plug-ins of a step together.', 's', {
      expr: quantile(0.99, 'operation, type', `apiserver_admission_step_admission_duration_seconds_bucket{${SERVER}}`),
      legend: '{{type}} {{operation}}',
    }),
    graph('Time in plug-ins', 'Seconds in a second, the ten plug-ins with the most.', 'short', {
      expr: largestRates('name', `apiserver_admission_controller_admission_duration_seconds_sum{${SERVER}}`),
      legend: '{{name}}',
    }),
    graph(
      'Webhooks, 99th percentile',
      'Time of admission webhooks, by name.',
      's',
      {
        expr: quantile(0.99, 'name', `apiserver_admission_webhook_admission_duration_seconds_bucket{${SERVER}}`),
        legend: '{{name}}',
      },
      { thresholds: { warning: 1, critical: 5 } },
    ),
    graph('Webhook rejections', 'Rejected requests by webhook; calling_webhook_error is a webhook that could not be called.', 'reqps', {
      expr: rates('name, error_type', `apiserver_admission_webhook_rejection_count{${SERVER}}`),
      legend: '{{name}} {{error_type}}',
    }),
    graph('Audit errors', 'Audit events that could not be written.', 'ops', {
      expr: rates('plugin', `apiserver_audit_error_total{${SERVER}}`),
      legend: '{{plugin}}',
    }),
    graph('Aggregated APIs without a server', 'APIServices that are unavailable.', 'short', {
      expr: `max by (name) (aggregator_unavailable_apiservice{${SERVER}})`,
      legend: '{{name}}',
    }),
  ],
};
