/** The dashboard of the controllers: leadership, queues, and their requests to the API servers. */
import type { Dashboard } from './dashboard';
import { graph, quantile, rates, stat, table } from './queries';

/**
 * Label matcher for the services that the user selects. A service is a group of controllers, under the name that the
 * Prometheus configuration gives it: `workloads`, `nodes`.
 */
const SERVICE = 'service=~"$service"';

export const CONTROLLERS: Dashboard = {
  uid: 'controllers',
  title: 'Controllers',
  description: 'Leadership, work queues, caches and requests of the controllers.',
  variables: [{ name: 'service', label: 'Service', query: 'label_values(up{job="controllers"}, service)' }],
  rows: [
    {
      title: 'Leadership',
      panels: [
        stat({
          title: 'Processes up',
          description: 'Share of the controller processes that Prometheus can scrape.',
          unit: 'percentunit',
          expr: `avg(up{job="controllers",${SERVICE}})`,
          legend: 'up',
          thresholds: { warning: 1, critical: 0.5, direction: 'falling' },
        }),
        stat({
          title: 'Leases without a holder',
          description: 'Controllers that no process runs: their objects are not reconciled.',
          unit: 'short',
          // A lease that no process reports is not counted; `Processes up` is low then.
          expr: `count(max by (name) (leader_election_master_status{${SERVICE}}) == 0) or vector(0)`,
          legend: 'leases',
          thresholds: { warning: 1, critical: 2 },
        }),
        table({
          title: 'Holders of leases',
          description: '1 for the process that runs the controller.',
          unit: 'short',
          expr: `leader_election_master_status{${SERVICE}} == 1`,
        }),
      ],
    },
    {
      title: 'Queues',
      panels: [
        graph({
          title: 'Waiting items',
          description: 'Objects that wait to be reconciled. A depth that stays high means that a controller does not keep up.',
          unit: 'short',
          // A queue belongs to the controllers of one service, so the legend leaves the service out.
          expr: `sum by (service, name) (workqueue_depth{${SERVICE}})`,
          legend: '{{name}}',
          thresholds: { warning: 100, critical: 1000 },
        }),
        graph({
          title: 'Time in the queue, 99th percentile',
          description: 'How long objects wait.',
          unit: 's',
          expr: quantile(0.99, 'name', `workqueue_queue_duration_seconds_bucket{${SERVICE}}`),
          legend: '{{name}}',
        }),
        graph({
          title: 'Time of a reconciliation, 99th percentile',
          description: 'How long one object takes.',
          unit: 's',
          expr: quantile(0.99, 'name', `workqueue_work_duration_seconds_bucket{${SERVICE}}`),
          legend: '{{name}}',
        }),
        graph({
          title: 'Added items',
          description: 'Objects that were queued.',
          unit: 'ops',
          expr: rates('name', `workqueue_adds_total{${SERVICE}}`),
          legend: '{{name}}',
        }),
        graph({
          title: 'Retries',
          description: 'Objects that were queued again after a failure.',
          unit: 'ops',
          expr: rates('name', `workqueue_retries_total{${SERVICE}}`),
          legend: '{{name}}',
        }),
        graph({
          title: 'Longest reconciliation in progress',
          description: 'A line that rises without end is a reconciliation that hangs.',
          unit: 's',
          expr: `max by (name) (workqueue_longest_running_processor_seconds{${SERVICE}})`,
          legend: '{{name}}',
          thresholds: { warning: 60, critical: 600 },
        }),
      ],
    },
    {
      title: 'Requests and caches',
      panels: [
        graph({
          title: 'Requests by code',
          description: 'Requests to the API servers; <error> is a request without a response.',
          unit: 'reqps',
          expr: rates('code', `rest_client_requests_total{${SERVICE}}`),
          legend: '{{code}}',
        }),
        graph({
          title: 'Requests by service',
          description: 'Which controllers load the API servers.',
          unit: 'reqps',
          expr: rates('service, method', `rest_client_requests_total{${SERVICE}}`),
          legend: '{{service}} {{method}}',
        }),
        graph({
          title: 'Latency of requests, 99th percentile',
          description: 'As the controllers observe it.',
          unit: 's',
          expr: quantile(0.99, 'verb', `rest_client_request_duration_seconds_bucket{${SERVICE}}`),
          legend: '{{verb}}',
          // The service level of the API servers is one second (see alerts.yml).
          thresholds: { warning: 1, critical: 5 },
        }),
        graph({
          title: 'Cached objects',
          description: 'Objects in the caches of the controllers, the ten most frequent resources.',
          unit: 'short',
          expr: `topk(10, max by (resource) (informer_objects{${SERVICE}}))`,
          legend: '{{resource}}',
        }),
        graph({
          title: 'Memory',
          description: 'Resident memory.',
          unit: 'bytes',
          expr: `process_resident_memory_bytes{job="controllers",${SERVICE}}`,
          legend: '{{service}} {{instance}}',
        }),
        graph({
          title: 'CPU',
          description: 'Processors in use.',
          unit: 'short',
          expr: rates('service, instance', `process_cpu_seconds_total{job="controllers",${SERVICE}}`),
          legend: '{{service}} {{instance}}',
        }),
      ],
    },
  ],
};
