/**
 * Metrics of the server as a whole: its version and feature gates, the store, aggregated APIs, and requests in
 * progress. The values are read from their sources at scrape time; nothing is counted here.
 */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { FeatureGates } from '../../shared/cli/feature-gates';
import { LOCKED_GATES } from '../../shared/cli/locked-gates';
import { RELEASE } from '../../shared/names/dialect';
import { PRIORITIES, type Priority } from '../../shared/scheduling/event-loop-scheduler';
import type { StoreStatus } from '../storage/store';

/** Where the values are read from at scrape time. */
export interface ServerStateSources {
  /** Number of objects per resource (`leases.coordination.platform.io`). */
  storageObjects(): Iterable<readonly [resource: string, count: number]>;
  /** Undefined when the store does not report it. */
  storage(): Promise<StoreStatus | undefined>;
  /** Requests in progress, without long-running ones. */
  inFlight(): { readonly readOnly: number; readonly mutating: number };
  /** Admitted requests that wait for earlier ones. */
  readonly scheduler: { waitingCount(priority: Priority): number };
  /** Log lines that were dropped since the start. */
  droppedLines(): number;
  /** APIServices with a service, and whether they are available. */
  registrations(): Iterable<{ readonly name: string; readonly isAvailable: boolean }>;
}

/** Publishes values that are constant while the server runs. */
export function publishBuildInfo(registry: Registry, gates: FeatureGates): void {
  const registers = [registry];
  const build = new Gauge({
    name: 'kubernetes_build_info',
    help: 'Version of this server, with the platform that it runs on.',
    labelNames: ['major', 'minor', 'git_version', 'git_commit', 'git_tree_state', 'build_date', 'go_version', 'compiler', 'platform'],
    registers,
  });
  build.set(
    {
      major: RELEASE.major,
      minor: RELEASE.minor,
      git_version: RELEASE.gitVersion,
      git_commit: '',
      git_tree_state: '',
      build_date: '1970-01-01T00:00:00Z',
      // The same as in `/version`.
      go_version: process.version,
      compiler: 'node',
      platform: `${process.platform}/${process.arch}`,
    },
    1,
  );
  const features = new Gauge({ name: 'kubernetes_feature_enabled', help: 'Feature gates.', labelNames: ['name', 'stage'], registers });
  for (const { name, stage, enabled } of gates.list()) {
    features.set({ name, stage: stage === 'ga' ? '' : stage.toUpperCase() }, enabled ? 1 : 0);
  }
  for (const [name, { stage, enabled }] of LOCKED_GATES) features.set({ name, stage }, enabled ? 1 : 0);
}

/** Publishes values that are collected at scrape time. */
export function publishServerState(registry: Registry, sources: ServerStateSources): void {
  publishStorageState(registry, sources);
  publishRegistrations(registry, sources);
  publishRequestState(registry, sources);
}

function publishStorageState(registry: Registry, sources: ServerStateSources): void {
  const registers = [registry];
  new Gauge({
    name: 'apiserver_storage_objects',
    help: 'Stored objects.',
    labelNames: ['resource'],
    registers,
    collect() {
      for (const [resource, count] of sources.storageObjects()) this.set({ resource }, count);
    },
  });
  new Gauge({
    name: 'apiserver_storage_size_bytes',
    help: 'Size of the store in bytes.',
    labelNames: ['storage_cluster_id'],
    registers,
    async collect() {
      const status = await sources.storage();
      // Upstream numbers the stores by their configuration; this server has one.
      if (status !== undefined) this.set({ storage_cluster_id: 'etcd-0' }, status.size);
    },
  });
  new Counter({
    name: 'apiserver_storage_purge_failures_total',
    help: 'Failed attempts of the embedded store to remove compacted revisions from the disk.',
    registers,
    async collect() {
      const failures = (await sources.storage())?.purgeFailures;
      if (failures === undefined) return;
      this.reset();
      this.inc(failures);
    },
  });
}

function publishRegistrations(registry: Registry, sources: ServerStateSources): void {
  new Gauge({
    name: 'aggregator_unavailable_apiservice',
    help: '1 when the server of an APIService is unavailable, else 0.',
    labelNames: ['name'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name, isAvailable } of sources.registrations()) this.set({ name }, isAvailable ? 0 : 1);
    },
  });
}

function publishRequestState(registry: Registry, sources: ServerStateSources): void {
  const registers = [registry];
  new Gauge({
    name: 'apiserver_current_inflight_requests',
    help: 'Requests that are being processed.',
    labelNames: ['request_kind'],
    registers,
    collect() {
      const { readOnly, mutating } = sources.inFlight();
      this.set({ request_kind: 'readOnly' }, readOnly);
      this.set({ request_kind: 'mutating' }, mutating);
    },
  });
  new Counter({
    name: 'apiserver_log_lines_dropped_total',
    help: 'Log lines that were dropped because the reader of stderr did not keep up.',
    registers,
    collect() {
      this.reset();
      this.inc(sources.droppedLines());
    },
  });
  new Gauge({
    name: 'apiserver_requests_waiting_for_turn',
    help: 'Admitted requests that wait for their turn on the event loop.',
    labelNames: ['priority'],
    registers,
    collect() {
      for (const priority of PRIORITIES) this.set({ priority }, sources.scheduler.waitingCount(priority));
    },
  });
}
