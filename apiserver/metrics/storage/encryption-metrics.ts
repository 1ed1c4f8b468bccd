/** Encryption at rest under upstream's names: transformations and their durations. */
import type { Registry } from 'prom-client';
import type { Direction, TransformMetricsRecorder } from '../../storage/encryption/encryption-rules';
import { publishReloads, type ReloadCounts } from '../registry/configuration-metrics';
import type { ExpositionChunks } from '../registry/histogram';
import { Meters } from '../registry/meters';

export class EncryptionMetrics implements TransformMetricsRecorder {
  readonly meters = new Meters();

  /** Few label values: `prefix` comes from the configuration, `status` is a gRPC status. */
  observeTransform(direction: Direction, prefix: string, status: string, seconds: number): void {
    this.meters.counter('apiserver_storage_transformation_operations_total', direction, prefix, status).add();
    if (status === 'OK') this.meters.observer('apiserver_storage_transformation_duration_seconds', direction, prefix).observe(seconds);
  }

  expose(): ExpositionChunks {
    return this.meters.expose();
  }
}

export interface EncryptionGauges {
  readonly metrics: EncryptionMetrics;
  /** Identifies the replica; exposed as a hash. */
  readonly server: string;
  /** Undefined when the configuration is not reloaded. */
  readonly reloads: () => ReloadCounts | undefined;
}

export function publishEncryption(registry: Registry, { server, reloads }: EncryptionGauges): void {
  publishReloads(registry, 'apiserver_encryption_config_controller', server, reloads);
}
