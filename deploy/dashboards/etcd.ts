/** The dashboard of etcd: quorum, disks, size and connections between members. */
import type { Dashboard } from './dashboard';
import { graph, quantile, RANGE, rates, stat } from './queries';

/** Label matcher for the members that the user selects. */
const MEMBER = 'instance=~"$member"';

export const ETCD: Dashboard = {
  uid: 'etcd',
  title: 'etcd',
  description: 'Quorum, disks, size and connections of the etcd members.',
  variables: [{ name: 'member', label: 'Member', query: 'label_values(up{job="etcd"}, instance)' }],
  rows: [
    {
      title: 'Quorum',
      panels: [
        // The first three panels are about the cluster, so they include members that are not selected.
        stat({
          title: 'Members with a leader',
          description: 'Share of the members that have a leader. A member without one rejects writes.',
          unit: 'percentunit',
          expr: 'avg(etcd_server_has_leader)',
          legend: 'with a leader',
          thresholds: { warning: 1, critical: 0.5, direction: 'falling' },
        }),
        stat({
          title: 'Database size',
          description:
            'Largest share of the quota that the database file of a member takes, with its free pages. At 100 % etcd accepts only reads and deletions.',
          unit: 'percentunit',
          expr: 'max(etcd_mvcc_db_total_size_in_bytes / etcd_server_quota_backend_bytes)',
          legend: 'of the quota',
          thresholds: { warning: 0.8, critical: 0.95 },
        }),
        stat({
          title: 'Leader changes in an hour',
          description: 'Each change interrupts writes for the time of an election.',
          unit: 'short',
          expr: 'max(increase(etcd_server_leader_changes_seen_total[1h]))',
          legend: 'changes',
          thresholds: { warning: 1, critical: 4 },
        }),
        graph({
          title: 'Pending proposals',
          description: 'Writes that wait for the quorum. A lasting backlog means slow disks or a slow network.',
          unit: 'short',
          expr: `etcd_server_proposals_pending{${MEMBER}}`,
          legend: '{{instance}}',
        }),
        graph({
          title: 'Failed proposals',
          description: 'Writes that failed, by member: elections or a lost quorum.',
          unit: 'ops',
          expr: rates('instance', `etcd_server_proposals_failed_total{${MEMBER}}`),
          legend: '{{instance}}',
        }),
        graph({
          title: 'Round trips between members, 99th percentile',
          description: 'A tenth of the election timeout or more leads to elections.',
          unit: 's',
          expr: quantile(0.99, 'instance, To', `etcd_network_peer_round_trip_time_seconds_bucket{${MEMBER}}`),
          legend: '{{instance}} to {{To}}',
        }),
      ],
    },
    {
      title: 'Disks',
      panels: [
        graph({
          title: 'Synchronization of the log, 99th percentile',
          description: 'Time of fsync of the write-ahead log, which every write waits for.',
          unit: 's',
          expr: quantile(0.99, 'instance', `etcd_disk_wal_fsync_duration_seconds_bucket{${MEMBER}}`),
          legend: '{{instance}}',
          thresholds: { warning: 0.01, critical: 0.5 },
        }),
        graph({
          title: 'Commits to the database, 99th percentile',
          description: 'Time of a commit of the backend.',
          unit: 's',
          expr: quantile(0.99, 'instance', `etcd_disk_backend_commit_duration_seconds_bucket{${MEMBER}}`),
          legend: '{{instance}}',
          thresholds: { warning: 0.025, critical: 0.25 },
        }),
        graph({
          title: 'Slow applies',
          description: 'Requests that took longer than etcd expects.',
          unit: 'ops',
          expr: rates('instance', `etcd_server_slow_apply_total{${MEMBER}}`),
          legend: '{{instance}}',
        }),
      ],
    },
    {
      title: 'Database',
      panels: [
        {
          title: 'Size',
          description:
            'Bytes of the database file, those in use, and the smallest quota of the members. A file much larger than its use can be defragmented.',
          type: 'timeseries',
          unit: 'bytes',
          queries: [
            { expr: `etcd_mvcc_db_total_size_in_bytes{${MEMBER}}`, legend: '{{instance}} file' },
            { expr: `etcd_mvcc_db_total_size_in_use_in_bytes{${MEMBER}}`, legend: '{{instance}} in use' },
            { expr: `min(etcd_server_quota_backend_bytes{${MEMBER}})`, legend: 'quota' },
          ],
        },
        graph({
          title: 'Keys',
          description: 'Keys without their history.',
          unit: 'short',
          expr: `etcd_debugging_mvcc_keys_total{${MEMBER}}`,
          legend: '{{instance}}',
        }),
        graph({
          title: 'Watchers',
          description: 'Watches of the API servers.',
          unit: 'short',
          expr: `etcd_debugging_mvcc_watcher_total{${MEMBER}}`,
          legend: '{{instance}}',
        }),
      ],
    },
    {
      title: 'Traffic',
      panels: [
        graph({
          title: 'Requests by method',
          description: 'Requests of the API servers to the selected members.',
          unit: 'reqps',
          expr: rates('grpc_method', `grpc_server_started_total{job="etcd",${MEMBER}}`),
          legend: '{{grpc_method}}',
        }),
        graph({
          title: 'Failed requests by code',
          description: 'Requests with another code than OK. Compacted revisions and lost leaders appear here.',
          unit: 'reqps',
          expr: rates('grpc_method, grpc_code', `grpc_server_handled_total{job="etcd",${MEMBER},grpc_code!="OK"}`),
          legend: '{{grpc_method}} {{grpc_code}}',
        }),
        graph({
          title: 'Bytes to clients',
          description: 'Bytes that members send to API servers.',
          unit: 'Bps',
          expr: `rate(etcd_network_client_grpc_sent_bytes_total{${MEMBER}}[${RANGE}])`,
          legend: '{{instance}}',
        }),
      ],
    },
  ],
};
