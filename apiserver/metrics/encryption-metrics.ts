/** Encryption at rest under upstream's names: what was transformed and how long it took. Counting only; text is made when somebody scrapes. */
import { createHash } from 'node:crypto';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Direction, TransformMeter } from '../storage/encryption/rules';
import type { ReloadCounts } from './configuration-metrics';
import { Meters } from './meters';

export class EncryptionMetrics implements TransformMeter {
  readonly meters = new Meters();

  /** `prefix` comes from the configuration, `outcome` from gRPC's codes, so there are few. */
  transformed(direction: Direction, prefix: string, outcome: string, seconds: number): void {
    this.meters.count('apiserver_storage_transformation_operations_total', direction, prefix, outcome).add();
    if (outcome === 'OK') this.meters.observer('apiserver_storage_transformation_duration_seconds', direction, prefix).observe(seconds);
  }

  text(): string {
    return this.meters.text();
  }
}

/** How metrics show a replica. */
export const serverHash = (server: string): string => `sha256:${createHash('sha256').update(server).digest('hex')}`;

export interface EncryptionGauges {
  readonly metrics: EncryptionMetrics;
  /** Identifies the replica; shown as a hash. */
  readonly server: string;
  /** Undefined = the configuration is not read again. */
  readonly reloads: () => ReloadCounts | undefined;
}

export function publishEncryption(registry: Registry, { server, reloads }: EncryptionGauges): void {
  const hash = serverHash(server);
  const shared = { labelNames: ['apiserver_id_hash', 'status'], registers: [registry] };
  new Counter({
    name: 'apiserver_encryption_config_controller_automatic_reloads_total',
    help: 'Reloads of the configuration of encryption, by their outcome.',
    ...shared,
    collect() {
      this.reset();
      for (const [status, count] of Object.entries(reloads()?.reloads ?? {}))
        if (count > 0) this.inc({ apiserver_id_hash: hash, status }, count);
    },
  });
  new Gauge({
    name: 'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds',
    help: 'When the configuration of encryption was last reloaded, by the outcome.',
    ...shared,
    collect() {
      this.reset();
      for (const [status, at] of Object.entries(reloads()?.lastReload ?? {})) this.set({ apiserver_id_hash: hash, status }, at / 1000);
    },
  });
}
