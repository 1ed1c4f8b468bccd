/** Encryption at rest under upstream's names: what was transformed and how long it took. Counting only; text is made when somebody scrapes. */
import type { Registry } from 'prom-client';
import type { Direction, TransformMeter } from '../storage/encryption/rules';
import { publishReloads, type ReloadCounts } from './configuration-metrics';
import type { ExposedPieces } from './histogram';
import { Meters } from './meters';

export class EncryptionMetrics implements TransformMeter {
  readonly meters = new Meters();

  /** `prefix` comes from the configuration, `outcome` from gRPC's codes, so there are few. */
  transformed(direction: Direction, prefix: string, outcome: string, seconds: number): void {
    this.meters.count('apiserver_storage_transformation_operations_total', direction, prefix, outcome).add();
    if (outcome === 'OK') this.meters.observer('apiserver_storage_transformation_duration_seconds', direction, prefix).observe(seconds);
  }

  exposed(): ExposedPieces {
    return this.meters.exposed();
  }
}

export interface EncryptionGauges {
  readonly metrics: EncryptionMetrics;
  /** Identifies the replica; shown as a hash. */
  readonly server: string;
  /** Undefined = the configuration is not read again. */
  readonly reloads: () => ReloadCounts | undefined;
}

export function publishEncryption(registry: Registry, { server, reloads }: EncryptionGauges): void {
  publishReloads(registry, 'apiserver_encryption_config_controller', server, reloads);
}
