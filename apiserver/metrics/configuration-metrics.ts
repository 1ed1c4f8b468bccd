/** Configuration files: how their reloads went; read when someone scrapes. */
import { Counter, Gauge, type Registry } from 'prom-client';

export interface ReloadCounts {
  readonly name: string;
  readonly reloads: Readonly<Record<'success' | 'failure', number>>;
  /** Milliseconds since 1970. */
  readonly lastReload: Readonly<Partial<Record<'success' | 'failure', number>>>;
}

export function publishConfigurations(registry: Registry, files: () => readonly ReloadCounts[]): void {
  const shared = { labelNames: ['configuration', 'status'], registers: [registry] };
  new Counter({
    name: 'apiserver_configuration_automatic_reloads_total',
    help: 'Reloads of configuration files that had changed, by their outcome.',
    ...shared,
    collect() {
      this.reset();
      for (const { name, reloads } of files())
        for (const [status, count] of Object.entries(reloads)) this.inc({ configuration: name, status }, count);
    },
  });
  new Gauge({
    name: 'apiserver_configuration_automatic_reload_last_timestamp_seconds',
    help: 'When a configuration file was last reloaded, by the outcome.',
    ...shared,
    collect() {
      for (const { name, lastReload } of files())
        for (const [status, at] of Object.entries(lastReload)) this.set({ configuration: name, status }, at / 1000);
    },
  });
}
