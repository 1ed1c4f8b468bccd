/** Reloads of configuration files. Collected at scrape time. */
import { createHash } from 'node:crypto';
import { Counter, Gauge, type Registry } from 'prom-client';

export interface ReloadCounts {
  readonly name: string;
  readonly reloads: Readonly<Record<'success' | 'failure', number>>;
  /** Milliseconds since 1970. */
  readonly lastReload: Readonly<Partial<Record<'success' | 'failure', number>>>;
}

/** The metric prefixes of files with reload metrics in upstream. */
const UPSTREAM: readonly (readonly [configuration: string, name: string])[] = [
  ['authentication', 'apiserver_authentication_config_controller'],
  ['authorization', 'apiserver_authorization_config_controller'],
];

/** `server` identifies the replica; it is exposed as a hash. */
export function publishConfigurations(registry: Registry, files: () => readonly ReloadCounts[], server: string): void {
  for (const [configuration, name] of UPSTREAM) {
    const file = files().find((candidate) => candidate.name === configuration);
    if (file !== undefined) publishReloads(registry, name, server, () => file);
  }
  const shared = { labelNames: ['configuration', 'status'], registers: [registry] };
  new Counter({
    name: 'apiserver_configuration_automatic_reloads_total',
    help: 'Reloads of changed configuration files, by status.',
    ...shared,
    collect() {
      this.reset();
      for (const { name, reloads } of files())
        for (const [status, count] of Object.entries(reloads)) this.inc({ configuration: name, status }, count);
    },
  });
  new Gauge({
    name: 'apiserver_configuration_automatic_reload_last_timestamp_seconds',
    help: 'Unix time of the last reload of a configuration file, by status.',
    ...shared,
    collect() {
      for (const { name, lastReload } of files())
        for (const [status, at] of Object.entries(lastReload)) this.set({ configuration: name, status }, at / 1000);
    },
  });
}

/** The form in which metrics identify a replica. */
export const hashServerId = (server: string): string => `sha256:${createHash('sha256').update(server).digest('hex')}`;

/** Publishes the reloads of one file under upstream's name for it. */
export function publishReloads(registry: Registry, name: string, server: string, file: () => ReloadCounts | undefined): void {
  const hash = hashServerId(server);
  const shared = { labelNames: ['apiserver_id_hash', 'status'], registers: [registry] };
  new Counter({
    name: `${name}_automatic_reloads_total`,
    help: 'Reloads of a configuration, by status.',
    ...shared,
    collect() {
      this.reset();
      for (const [status, count] of Object.entries(file()?.reloads ?? {}))
        if (count > 0) this.inc({ apiserver_id_hash: hash, status }, count);
    },
  });
  new Gauge({
    name: `${name}_automatic_reload_last_timestamp_seconds`,
    help: 'Unix time of the last reload of a configuration, by status.',
    ...shared,
    collect() {
      this.reset();
      for (const [status, at] of Object.entries(file()?.lastReload ?? {})) this.set({ apiserver_id_hash: hash, status }, at / 1000);
    },
  });
}
