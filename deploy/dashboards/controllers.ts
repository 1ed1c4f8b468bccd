/** The dashboard of the controllers: leadership, queues, and their requests to the API servers. */
import type { Dashboard } from './dashboard';
import { graph, quantile, rates, stat, table } from './queries';

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
        stat(
          'Processes up',
          'Share of the controller processes that Prometheus can scrape.',
          'percentunit',
          {
            expr: `avg(up{job="controllers",${SERVICE}})`,
            legend: 'up',
          },
          { thresholds: { warning: 1, critical: 0.5, direction: 'falling' } },
        ),
        stat(
          'Leases without a holder',
          'Controllers that no process runs: their objects are not reconciled.',
          'short',
          {
            expr: `count(max by (name) (leader_election_master_status{${SERVICE}}) == 0) or vector(0)`,
            legend: 'leases',
          },
          { thresholds: { warning: 1, critical: 2 } },
        ),
        table(
          'Holders of leases',
          '1 for the process that runs the controller.',
          'short',
          `leader_election_master_status{${SERVICE}} == 1`,
        ),
      ],
    },
    {
      title: 'Queues',
      panels: [
        graph(
          'Waiting items',
          'Objects that wait to be reconciled. A depth that stays high means that a controller does not keep up.',
          'short',
          {
            expr: `sum by (service, name) (workqueue_depth{${SERVICE}})`,
            legend: '{{name}}',
          },
          { thresholds: { warning: 100, critical: 1000 } },
        ),
        graph('Time in the queue, 99th percentile', 'How long objects wait.', 's', {
          expr: quantile(0.99, 'name', `workqueue_queue_duration_seconds_bucket{${SERVICE}}`),
          legend: '{{name}}',
        }),
        graph('Time of a reconciliation, 99th percentile', 'How long one object takes.', 's', {
          expr: quantile(0.99, 'name', `workqueue_work_duration_seconds_bucket{${SERVICE}}`),
          legend: '{{name}}',
        }),
        graph('Added items', 'Objects that were queued.', 'ops', {
          expr: rates('name', `workqueue_adds_total{${SERVICE}}`),
          legend: '{{name}}',
        }),
        graph('Retries', 'Objects that were queued again after a failure.', 'ops', {
          expr: rates('name', `workqueue_retries_total{${SERVICE}}`),
          legend: '{{name}}',
        }),
        graph(
          'Longest reconciliation in progress',
          'A line that rises without end is a reconciliation that hangs.',
          's',
          {
            expr: `max by (name) (workqueue_longest_running_processor_seconds{${SERVICE}})`,
            legend: '{{name}}',
          },
          { thresholds: { warning: 60, critical: 600 } },
        ),
      ],
    },
    {
      title: 'Requests and caches',
      panels: [
        graph('Requests by code', 'Requests to the API servers; <error> is a request without a response.', 'reqps', {
          expr: rates('code', `rest_client_requests_total{${SERVICE}}`),
          legend: '{{code}}',
        }),
        graph('Requests by service', 'Which controllers load the API servers.', 'reqps', {
          expr: rates('service, method', `rest_client_requests_total{${SERVICE}}`),
          legend: '{{service}} {{method}}',
        }),
        graph(
          'Latency of requests, 99th percentile',
          'As the controllers observe it.',
          's',
          {
            expr: quantile(0.99, 'verb', `rest_client_request_duration_seconds_bucket{${SERVICE}}`),
            legend: '{{verb}}',
          },
          { thresholds: { warning: 1, critical: 5 } },
        ),
        graph('Cached objects', 'Objects in the caches of the controllers, the ten most frequent resources.', 'short', {
          expr: `topk(10, max by (resource) (informer_objects{${SERVICE}}))`,
          legend: '{{resource}}',
        }),
        graph('Memory', 'Resident memory.', 'bytes', {
          expr: `process_resident_memory_bytes{job="controllers",${SERVICE}}`,
          legend: '{{service}} {{instance}}',
        }),
        graph('CPU', 'Processors in use.', 'short', {
          expr: rates('service, instance', `process_cpu_seconds_total{job="controllers",${SERVICE}}`),
          legend: '{{service}} {{instance}}',
        }),
      ],
    },
  ],
};
