/** The dashboard of the API servers: load by its origin, and latency by its cause. */
import type { Dashboard } from './dashboard';
import { CACHE, EXTENSIONS, FAIRNESS, WATCHES } from './api-server-internals';
import { API_SERVER, graph, largestRates, quantile, RANGE, rates, table } from './queries';

const SELECTED = 'instance=~"$instance",resource=~"$resource",verb=~"$verb"';
/** Requests with a duration of interest: watches and connections to pods last as long as clients want. */
const TIMED = `${SELECTED},verb!~"WATCH|CONNECT"`;
/** The parts of the histogram of request durations. */
const TIMED_BUCKETS = `apiserver_request_sli_duration_seconds_bucket{${TIMED}}`;
const TIMED_SUM = `apiserver_request_sli_duration_seconds_sum{${TIMED}}`;
const TIMED_COUNT = `apiserver_request_sli_duration_seconds_count{${TIMED}}`;
const TIMED_SUBRESOURCE_BUCKETS = `apiserver_request_sli_duration_seconds_bucket{subresource!="",${TIMED}}`;

export const API_SERVERS: Dashboard = {
  uid: 'api-servers',
  title: 'API servers',
  description: 'Which clients and resources load the API servers, what is slow, and why.',
  variables: [
    API_SERVER,
    { name: 'resource', label: 'Resource', query: 'label_values(apiserver_request_total, resource)' },
    { name: 'verb', label: 'Verb', query: 'label_values(apiserver_request_total, verb)' },
  ],
  rows: [
    {
      title: 'Load',
      panels: [
        graph({
          title: 'Requests by resource',
          description: 'The ten resources with the most requests.',
          unit: 'reqps',
          expr: largestRates('resource, subresource', `apiserver_request_total{${SELECTED}}`),
          legend: '{{resource}} {{subresource}}',
        }),
        graph({
          title: 'Requests by verb',
          description: 'Completed requests; a watch is completed when it ends.',
          unit: 'reqps',
          expr: rates('verb', `apiserver_request_total{${SELECTED}}`),
          legend: '{{verb}}',
        }),
        graph({
          title: 'Requests by flow schema',
          description:
            'Flow schemas group clients, such as system components, nodes and service accounts. No metric has the user or user agent; the audit log has both.',
          unit: 'reqps',
          expr: rates('flow_schema', 'apiserver_flowcontrol_dispatched_requests_total{instance=~"$instance"}'),
          legend: '{{flow_schema}}',
        }),
        graph({
          title: 'Response bytes by resource',
          description: 'Bytes of responses without watches, the ten largest resources.',
          unit: 'Bps',
          expr: largestRates('resource, verb', `apiserver_response_sizes_sum{${SELECTED}}`),
          legend: '{{verb}} {{resource}}',
        }),
        graph({
          title: 'Request bytes by resource',
          description: 'Bytes of request bodies, the ten largest resources.',
          unit: 'Bps',
          expr: largestRates('resource, verb', 'apiserver_request_body_size_bytes_sum{instance=~"$instance",resource=~"$resource"}'),
          legend: '{{verb}} {{resource}}',
        }),
        graph({
          title: 'Server time by flow schema',
          description: 'Seconds of execution in a second: the mean number of concurrent requests of these clients.',
          unit: 'short',
          expr: rates('flow_schema', 'apiserver_flowcontrol_request_execution_seconds_sum{instance=~"$instance"}'),
          legend: '{{flow_schema}}',
        }),
        graph({
          title: 'Requests in progress',
          description: 'Without watches and other long-running requests.',
          unit: 'short',
          expr: 'sum by (instance, request_kind) (apiserver_current_inflight_requests{instance=~"$instance"})',
          legend: '{{instance}} {{request_kind}}',
        }),
        graph({
          title: 'Long-running requests',
          description: 'Open watches, logs and connections to pods, the ten most frequent resources.',
          unit: 'short',
          expr: `topk(10, sum by (resource, subresource, verb) (apiserver_longrunning_requests{${SELECTED}}))`,
          legend: '{{verb}} {{resource}} {{subresource}}',
        }),
        graph({
          title: 'Connections',
          description: 'Open client connections.',
          unit: 'short',
          expr: 'apiserver_open_connections{instance=~"$instance"}',
          legend: '{{instance}}',
        }),
      ],
    },
    {
      title: 'Latency',
      panels: [
        graph({
          title: 'Latency by resource, 99th percentile',
          description: 'The ten slowest; neither the time of webhooks nor waiting for priority and fairness counts.',
          unit: 's',
          expr: `topk(10, ${quantile(0.99, 'resource, verb', TIMED_BUCKETS)})`,
          legend: '{{verb}} {{resource}}',
          thresholds: { warning: 1, critical: 5 },
        }),
        graph({
          title: 'Latency by subresource, 99th percentile',
          description: 'Subresources and paths outside of resources, such as /livez.',
          unit: 's',
          expr: `topk(10, ${quantile(0.99, 'resource, subresource, verb', TIMED_SUBRESOURCE_BUCKETS)})`,
          legend: '{{verb}} {{resource}}/{{subresource}}',
          thresholds: { warning: 1, critical: 5 },
        }),
        graph({
          title: 'Time by resource',
          description: 'Seconds of request time in a second, the ten resources with the most: frequent or slow.',
          unit: 'short',
          expr: largestRates('resource, verb', TIMED_SUM),
          legend: '{{verb}} {{resource}}',
        }),
        graph({
          title: 'Filters, 99th percentile',
          description: 'Time in the filters before the handler: authentication, authorization, priority and fairness.',
          unit: 's',
          expr: quantile(0.99, 'filter', 'apiserver_request_filter_duration_seconds_bucket{instance=~"$instance"}'),
          legend: '{{filter}}',
        }),
        graph({
          title: 'Requests that wait for the event loop',
          description: 'Admitted requests that wait for their turn, by priority.',
          unit: 'short',
          expr: 'sum by (instance, priority) (apiserver_requests_waiting_for_turn{instance=~"$instance"})',
          legend: '{{instance}} {{priority}}',
        }),
        table({
          title: 'Slowest requests',
          description: 'Mean latency by resource, subresource and verb over the last five minutes.',
          unit: 's',
          expr: `topk(15, sum by (resource, subresource, verb) (rate(${TIMED_SUM}[5m])) / (sum by (resource, subresource, verb) (rate(${TIMED_COUNT}[5m])) > 0))`,
        }),
      ],
    },
    {
      title: 'Errors',
      panels: [
        graph({
          title: 'Server errors by resource',
          description: 'Responses with a 5xx code.',
          unit: 'reqps',
          expr: `sum by (resource, verb, code) (rate(apiserver_request_total{${SELECTED},code=~"5.."}[${RANGE}]))`,
          legend: '{{code}} {{verb}} {{resource}}',
        }),
        graph({
          title: 'Client errors by resource',
          description: 'Responses with a 4xx code, the ten most frequent. Conflicts (409) are normal for controllers.',
          unit: 'reqps',
          expr: largestRates('resource, verb, code', `apiserver_request_total{${SELECTED},code=~"4.."}`),
          legend: '{{code}} {{verb}} {{resource}}',
        }),
        graph({
          title: 'Terminated requests',
          description: 'Requests that the server ended to protect itself, and requests that were aborted.',
          unit: 'reqps',
          expr: `sum by (resource, verb, code) (rate(apiserver_request_terminations_total{${SELECTED}}[${RANGE}])) or sum by (resource, verb) (rate(apiserver_request_aborts_total{${SELECTED}}[${RANGE}]))`,
          legend: '{{code}} {{verb}} {{resource}}',
        }),
        graph({
          title: 'Authentication attempts',
          description: 'By result; errors are credentials that are not accepted.',
          unit: 'reqps',
          expr: rates('result', 'authentication_attempts{instance=~"$instance"}'),
          legend: '{{result}}',
        }),
        graph({
          title: 'Authorization attempts',
          description: 'By result.',
          unit: 'reqps',
          expr: rates('result', 'authorization_attempts_total{instance=~"$instance"}'),
          legend: '{{result}}',
        }),
        graph({
          title: 'Refused connections and failed handshakes',
          description: 'Connections beyond a limit, and TLS handshakes that failed.',
          unit: 'ops',
          expr: `sum(rate(apiserver_refused_connections_total{instance=~"$instance"}[${RANGE}])) + sum(rate(apiserver_tls_handshake_errors_total{instance=~"$instance"}[${RANGE}]))`,
          legend: 'connections',
        }),
      ],
    },
    FAIRNESS,
    WATCHES,
    CACHE,
    EXTENSIONS,
  ],
};
