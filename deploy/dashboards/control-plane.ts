/** The first dashboard: whether the control plane works, and what needs attention. */
import type { Dashboard } from './dashboard';
import { API_SERVER, graph, quantile, RANGE, rates, stat, table } from './queries';

const DAY_SECONDS = 86_400;
/** Seconds until a certificate expires. */
const EXPIRATION = { warning: 7 * DAY_SECONDS, critical: DAY_SECONDS, direction: 'falling' } as const;
/** The share of processes that are up: yellow when one is missing, red when half of them are. */
const ALL_UP = { warning: 1, critical: 0.5, direction: 'falling' } as const;
const SELECTED = 'instance=~"$instance"';
/** Without watches and connections to pods, which last as long as clients want. */
const SLI = `apiserver_request_sli_duration_seconds_bucket{${SELECTED},verb!~"WATCH|CONNECT"}`;

export const CONTROL_PLANE: Dashboard = {
  uid: 'control-plane',
  title: 'Control plane',
  description: 'Alerts, availability, service level, processes, certificates and deprecated APIs.',
  variables: [API_SERVER],
  rows: [
    {
      title: 'Alerts and availability',
      panels: [
        table({
          title: 'Firing alerts',
          description: 'Alerts of Prometheus that fire now. The runbook of each is docs/runbooks/NAME.md.',
          unit: 'short',
          expr: 'ALERTS{alertstate="firing",alertname!="Watchdog"}',
          width: 12,
        }),
        stat({
          title: 'API servers up',
          description: 'Share of the API servers that Prometheus can scrape.',
          unit: 'percentunit',
          expr: 'avg(up{job="apiserver"})',
          legend: 'up',
          width: 4,
          thresholds: ALL_UP,
        }),
        stat({
          title: 'Controllers up',
          description: 'Share of the controller processes that Prometheus can scrape.',
          unit: 'percentunit',
          expr: 'avg(up{job="controllers"})',
          legend: 'up',
          width: 4,
          thresholds: ALL_UP,
        }),
        stat({
          title: 'etcd members up',
          description: 'Share of the etcd members that Prometheus can scrape. Without a majority nothing can be written.',
          unit: 'percentunit',
          expr: 'avg(up{job="etcd"})',
          legend: 'up',
          width: 4,
          thresholds: ALL_UP,
        }),
      ],
    },
    {
      title: 'Service level',
      panels: [
        {
          title: 'Failed and rejected requests',
          description: 'Share of requests with a 5xx code, which are failures of the server, and with 429, which clients repeat later.',
          type: 'timeseries',
          unit: 'percentunit',
          thresholds: { warning: 0.01, critical: 0.05 },
          queries: [
            {
              expr: `sum(rate(apiserver_request_total{${SELECTED},code=~"5.."}[${RANGE}])) / sum(rate(apiserver_request_total{${SELECTED}}[${RANGE}])) or vector(0)`,
              legend: '5xx',
            },
            {
              expr: `sum(rate(apiserver_request_total{${SELECTED},code="429"}[${RANGE}])) / sum(rate(apiserver_request_total{${SELECTED}}[${RANGE}])) or vector(0)`,
              legend: '429',
            },
          ],
        },
        graph({
          title: 'Latency, 99th percentile',
          description:
            'By verb, without the time of webhooks and of waiting for priority and fairness. The service level of Kubernetes is 1 s for a single object and 30 s for lists of all namespaces.',
          unit: 's',
          expr: quantile(0.99, 'verb', SLI),
          legend: '{{verb}}',
          thresholds: { warning: 1, critical: 5 },
        }),
        graph({
          title: 'Latency, median',
          description: 'By verb, as the panel beside it.',
          unit: 's',
          expr: quantile(0.5, 'verb', SLI),
          legend: '{{verb}}',
        }),
        graph({
          title: 'Requests by API server',
          description: 'An uneven share means that the load balancer or long connections prefer a server.',
          unit: 'reqps',
          expr: rates('instance', `apiserver_request_total{${SELECTED}}`),
          legend: '{{instance}}',
        }),
        graph({
          title: 'Requests by code',
          description: 'Completed requests.',
          unit: 'reqps',
          expr: rates('code', `apiserver_request_total{${SELECTED}}`),
          legend: '{{code}}',
        }),
        graph({
          title: 'Failing health checks',
          description: 'Health checks that failed at their last run, by API server.',
          unit: 'short',
          expr: `sum by (instance) (kubernetes_healthcheck{${SELECTED}} == bool 0)`,
          legend: '{{instance}}',
        }),
      ],
    },
    {
      title: 'Processes',
      panels: [
        graph({
          title: 'Event loop, 99th percentile',
          description:
            'Delays of the event loop, during which an API server responds to no request. High values slow down all of its clients.',
          unit: 's',
          expr: `nodejs_eventloop_lag_p99_seconds{job="apiserver",${SELECTED}}`,
          legend: '{{instance}}',
          thresholds: { warning: 0.1, critical: 0.25 },
        }),
        graph({
          title: 'CPU',
          description: 'Processors in use, of all programs.',
          unit: 'short',
          expr: rates('job, instance', 'process_cpu_seconds_total'),
          legend: '{{job}} {{instance}}',
        }),
        graph({
          title: 'Memory',
          description: 'Resident memory of all programs.',
          unit: 'bytes',
          expr: 'process_resident_memory_bytes',
          legend: '{{job}} {{instance}}',
        }),
      ],
    },
    {
      title: 'Certificates',
      panels: [
        table({
          title: 'Time until certificates expire',
          description:
            'Certificates that API servers and controllers use: their serving certificates, client authorities, and client certificates for etcd, kubelets, aggregated API servers and the API.',
          unit: 's',
          expr: 'sort(min by (job, instance, certificate) (tls_certificate_expiration_timestamp_seconds) - time())',
          width: 12,
          thresholds: EXPIRATION,
        }),
        graph({
          title: 'Remaining validity of client certificates',
          description: 'First percentile of the remaining validity of the certificates that clients present to API servers.',
          unit: 's',
          expr: quantile(0.01, 'instance', `apiserver_client_certificate_expiration_seconds_bucket{${SELECTED}}`),
          legend: '{{instance}}',
          width: 12,
          thresholds: EXPIRATION,
        }),
      ],
    },
    {
      title: 'Deprecated APIs',
      panels: [
        table({
          title: 'Deprecated APIs in use',
          description:
            'Versions that were requested since the start of an API server, and the release without them. The audit log names the clients.',
          unit: 'short',
          expr: 'max by (group, version, resource, subresource, removed_release) (apiserver_requested_deprecated_apis)',
          width: 12,
        }),
        graph({
          title: 'Requests for deprecated APIs',
          description: 'Rate of requests for these versions.',
          unit: 'reqps',
          expr: `sum by (group, version, resource, verb) (rate(apiserver_request_total{${SELECTED}}[${RANGE}]) * on (instance, group, version, resource, subresource) group_left () max by (instance, group, version, resource, subresource) (apiserver_requested_deprecated_apis))`,
          legend: '{{verb}} {{group}}/{{version}} {{resource}}',
          width: 12,
        }),
      ],
    },
  ],
};
