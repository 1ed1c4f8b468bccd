/** The dashboard of the API servers: load by its origin, and latency by its cause. */
import type { Dashboard } from './dashboard';
import { ADMISSION, CACHE, FAIRNESS, WATCHES } from './api-server-internals';
import { API_SERVER, graph, largestRates, quantile, RANGE, rates, table } from './queries';

const SELECTED = 'instance=~"$instance",resource=~"$resource",verb=~"$verb"';
/** Watches and connections to pods last as long as clients want. */
const TIMED = `apiserver_request_sli_duration_seconds_bucket{${SELECTED},verb!~"WATCH|CONNECT"}`;
const TIMED_SUM = `apiserver_request_sli_duration_seconds_sum{${SELECTED},verb!~"WATCH|CONNECT"}`;

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
        graph('Requests by resource', 'The ten resources with the most requests.', 'reqps', {
          expr: largestRates('resource, subresource', `apiserver_request_total{${SELECTED}}`),
          legend: '{{resource}} {{subresource}}',
        }),
        graph('Requests by verb', 'Completed requests; a watch is completed when it ends.', 'reqps', {
          expr: rates('verb', `apiserver_request_total{${SELECTED}}`),
          legend: '{{verb}}',
        }),
        graph(
          'Requests by flow schema',
          'Flow schemas group clients, such as system components, nodes and service accounts. No metric has the user or user agent; the audit log has both.',
          'reqps',
          {
            expr: rates('flow_schema', 'apiserver_flowcontrol_dispatched_requests_total{instance=~"$instance"}'),
            legend: '{{flow_schema}}',
          },
        ),
        graph('Response bytes by resource', 'Bytes of responses without watches, the ten largest resources.', 'Bps', {
          expr: largestRates('resource, verb', `apiserver_response_sizes_sum{${SELECTED}}`),
          legend: '{{verb}} {{resource}}',
        }),
        graph('Request bytes by resource', 'Bytes of request bodies, the ten largest resources.', 'Bps', {
          expr: largestRates('resource, verb', 'apiserver_request_body_size_bytes_sum{instance=~"$instance",resource=~"$resource"}'),
          legend: '{{verb}} {{resource}}',
        }),
        graph(
          'Server time by flow schema',
          'Seconds of execution in a second: the mean number of concurrent requests of these clients.',
          'short',
          {
            expr: rates('flow_schema', 'apiserver_flowcontrol_request_execution_seconds_sum{instance=~"$instance"}'),
            legend: '{{flow_schema}}',
          },
        ),
        graph('Requests in progress', 'Without watches and other long-running requests.', 'short', {
          expr: 'sum by (instance, request_kind) (apiserver_current_inflight_requests{instance=~"$instance"})',
          legend: '{{instance}} {{request_kind}}',
        }),
        graph('Long-running requests', 'Open watches, logs and connections to pods, the ten most frequent resources.', 'short', {
          expr: `topk(10, sum by (resource, subresource, verb) (apiserver_longrunning_requests{${SELECTED}}))`,
          legend: '{{verb}} {{resource}} {{subresource}}',
        }),
        graph('Connections', 'Open client connections.', 'short', {
          expr: 'apiserver_open_connections{instance=~"$instance"}',
          legend: '{{instance}}',
        }),
      ],
    },
    {
      title: 'Latency',
      panels: [
        graph(
          'Latency by resource, 99th percentile',
          'The ten slowest, without the time of webhooks and of waiting for priority and fairness.',
          's',
          { expr: `topk(10, ${quantile(0.99, 'resource, verb', TIMED)})`, legend: '{{verb}} {{resource}}' },
          { thresholds: { warning: 1, critical: 5 } },
        ),
        graph(
          'Latency by subresource, 99th percentile',
          'Subresources and paths outside of resources, such as /livez.',
          's',
          {
            expr: `topk(10, ${quantile(0.99, 'resource, subresource, verb', TIMED.replace('{', '{subresource!="",'))})`,
            legend: '{{verb}} {{resource}}/{{subresource}}',
          },
          { thresholds: { warning: 1, critical: 5 } },
        ),
        graph('Time by resource', 'Seconds of request time in a second, the ten resources with the most: frequent or slow.', 'short', {
          expr: largestRates('resource, verb', TIMED_SUM),
          legend: '{{verb}} {{resource}}',
        }),
        graph(
          'Filters, 99th percentile',
          'Time in the filters before the handler: authentication, authorization, priority and fairness.',
          's',
          {
            expr: quantile(0.99, 'filter', 'apiserver_request_filter_duration_seconds_bucket{instance=~"$instance"}'),
            legend: '{{filter}}',
          },
        ),
        graph('Requests that wait for the event loop', 'Admitted requests that wait for their turn, by priority.', 'short', {
          expr: 'sum by (instance, priority) (apiserver_requests_waiting_for_turn{instance=~"$instance"})',
          legend: '{{instance}} {{priority}}',
        }),
        table(
          'Slowest requests',
          'Mean latency by resource, subresource and verb over the last five minutes.',
          's',
          `topk(15, sum by (resource, subresource, verb) (rate(${TIMED_SUM}[5m])) / (sum by (resource, subresource, verb) (rate(${TIMED_SUM.replace('_sum{', '_count{')}[5m])) > 0))`,
        ),
      ],
    },
    {
      title: 'Errors',
      panels: [
        graph('Server errors by resource', 'Responses with a 5xx code.', 'reqps', {
          expr: `sum by (resource, verb, code) (rate(apiserver_request_total{${SELECTED},code=~"5.."}[${RANGE}]))`,
          legend: '{{code}} {{verb}} {{resource}}',
        }),
        graph(
          'Client errors by resource',
          'Responses with a 4xx code, the ten most frequent. Conflicts (409) are normal for controllers.',
          'reqps',
          {
            expr: largestRates('resource, verb, code', `apiserver_request_total{${SELECTED},code=~"4.."}`),
            legend: '{{code}} {{verb}} {{resource}}',
          },
        ),
        graph('Terminated requests', 'Requests that the server ended to protect itself, and requests that were aborted.', 'reqps', {
          expr: `sum by (resource, verb, code) (rate(apiserver_request_terminations_total{${SELECTED}}[${RANGE}])) or sum by (resource, verb) (rate(apiserver_request_aborts_total{${SELECTED}}[${RANGE}]))`,
          legend: '{{code}} {{verb}} {{resource}}',
        }),
        graph('Authentication attempts', 'By result; errors are credentials that are not accepted.', 'reqps', {
          expr: rates('result', 'authentication_attempts{instance=~"$instance"}'),
          legend: '{{result}}',
        }),
        graph('Authorization attempts', 'By result.', 'reqps', {
          expr: rates('result', 'authorization_attempts_total{instance=~"$instance"}'),
          legend: '{{result}}',
        }),
        graph('Refused connections and failed handshakes', 'Connections beyond a limit, and TLS handshakes that failed.', 'ops', {
          expr: `sum(rate(apiserver_refused_connections_total{instance=~"$instance"}[${RANGE}])) + sum(rate(apiserver_tls_handshake_errors_total{instance=~"$instance"}[${RANGE}]))`,
          legend: 'connections',
        }),
      ],
    },
    FAIRNESS,
    WATCHES,
    CACHE,
    ADMISSION,
  ],
};
