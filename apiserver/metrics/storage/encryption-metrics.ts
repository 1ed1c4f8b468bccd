/**
 * Metrics of encryption at rest under upstream's names: transformations, their durations, missing keys, and reloads of
 * the configuration. Calls of KMS plug-ins are in kms-metrics.ts.
 */
import type { Registry } from 'prom-client';
import type { Direction, TransformMetricsRecorder } from '../../storage/encryption/value-transformer';
import { publishReloads, type ReloadCounts } from '../registry/configuration-metrics';
import type { ExpositionChunks } from '../registry/histogram';
import type { MissingKeyCount } from '../../storage/encryption/missing-keys';
import { Meters, type NumberSeries } from '../registry/meters';

/** The series of transformations, in meters of their own: they exist before those of the server. */
export class EncryptionMetrics implements TransformMetricsRecorder {
  readonly meters = new Meters();
  private missingKeys: readonly NumberSeries[] = [];

  /** Few label values: `prefix` comes from the configuration, `status` is a gRPC status. */
  observeTransform(direction: Direction, prefix: string, status: string, seconds: number): void {
    this.meters.counter('apiserver_storage_transformation_operations_total', direction, prefix, status).add();
    if (status === 'OK') this.meters.observer('apiserver_storage_transformation_duration_seconds', direction, prefix).observe(seconds);
  }

  /** Sets the counts of the last check; those of resources and keys that are no longer missing become 0. */
  setMissingKeys(counts: readonly MissingKeyCount[]): void {
    for (const series of this.missingKeys) series.value = 0;
    this.missingKeys = counts.map(({ resource, provider, key, objects }) => {
      const series = this.meters.counter('apiserver_encryption_missing_key_objects', resource, provider, key);
      series.value = objects;
      return series;
    });
  }

  /** All metrics of this recorder. */
  expose(): ExpositionChunks {
    return this.meters.expose();
  }
}

/** What is published when the server encrypts values. */
export interface EncryptionGauges {
  readonly metrics: EncryptionMetrics;
  /** Identifies the replica; exposed as a hash. */
  readonly server: string;
  /** Undefined when the configuration is not reloaded. */
  readonly reloads: () => ReloadCounts | undefined;
}

/** Registers the metrics of reloads; called once per registry. */
export function publishEncryption(registry: Registry, { server, reloads }: EncryptionGauges): void {
  publishReloads(registry, { metricPrefix: 'apiserver_encryption_config_controller', server, counts: reloads });
}
