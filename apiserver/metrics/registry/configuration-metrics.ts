/**
 * Metrics of reloads of configuration files, collected at scrape time: for every file under this server's names, and
 * for the files that upstream reloads too under upstream's.
 */
import { createHash } from 'node:crypto';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Reloads of one configuration since the start. */
export interface ReloadCounts {
  /** The configuration, such as `authorization`; the label value of this server's own metrics. */
  readonly name: string;
  readonly reloads: Readonly<Record<'success' | 'failure', number>>;
  /** Milliseconds since 1970. */
  readonly lastReload: Readonly<Partial<Record<'success' | 'failure', number>>>;
}

/** The configurations with reload metrics in upstream. */
const UPSTREAM_RELOADS: readonly { readonly configuration: string; readonly metricPrefix: string }[] = [
  { configuration: 'authentication', metricPrefix: 'apiserver_authentication_config_controller' },
  { configuration: 'authorization', metricPrefix: 'apiserver_authorization_config_controller' },
];

/**
 * Publishes the reloads of all files; called once per registry. `files` returns the files that are watched for changes;
 * `server` identifies the replica and is exposed as a hash.
 */
export function publishConfigurations(registry: Registry, files: () => readonly ReloadCounts[], server: string): void {
  for (const { configuration, metricPrefix } of UPSTREAM_RELOADS) {
    const file = files().find(({ name }) => name === configuration);
    if (file !== undefined) publishReloads(registry, { metricPrefix, server, counts: () => file });
  }
  const shared = { labelNames: ['configuration', 'status'], registers: [registry] };
  new Counter({
    name: 'apiserver_configuration_automatic_reloads_total',
    help: 'Reloads of changed configuration files, by status.',
    ...shared,
    collect() {
      this.reset();
      for (const { name, reloads } of files()) {
        for (const [status, count] of Object.entries(reloads)) this.inc({ configuration: name, status }, count);
      }
    },
  });
  new Gauge({
    name: 'apiserver_configuration_automatic_reload_last_timestamp_seconds',
    help: 'Unix time of the last reload of a configuration file, by status.',
    ...shared,
    collect() {
      for (const { name, lastReload } of files()) {
        for (const [status, ms] of Object.entries(lastReload)) this.set({ configuration: name, status }, ms / 1000);
      }
    },
  });
}

/** The form in which metrics identify a replica. */
export const hashServerId = (server: string): string => `sha256:${createHash('sha256').update(server).digest('hex')}`;

/** One file that upstream reloads too. */
interface UpstreamReloads {
  readonly metricPrefix: string;
  /** Identifies the replica. */
  readonly server: string;
  /** Undefined when the file is not reloaded; then no series is exposed. */
  readonly counts: () => ReloadCounts | undefined;
}

/** Publishes the reloads of one file under upstream's names for it. */
export function publishReloads(registry: Registry, { metricPrefix, server, counts }: UpstreamReloads): void {
  const hash = hashServerId(server);
  const shared = { labelNames: ['apiserver_id_hash', 'status'], registers: [registry] };
  new Counter({
    name: `${metricPrefix}_automatic_reloads_total`,
    help: 'Reloads of a configuration, by status.',
    ...shared,
    collect() {
      this.reset();
      for (const [status, count] of Object.entries(counts()?.reloads ?? {})) {
        if (count > 0) this.inc({ apiserver_id_hash: hash, status }, count);
      }
    },
  });
  new Gauge({
    name: `${metricPrefix}_automatic_reload_last_timestamp_seconds`,
    help: 'Unix time of the last reload of a configuration, by status.',
    ...shared,
    collect() {
      this.reset();
      for (const [status, ms] of Object.entries(counts()?.lastReload ?? {})) this.set({ apiserver_id_hash: hash, status }, ms / 1000);
    },
  });
}
