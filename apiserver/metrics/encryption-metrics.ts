/** Encryption at rest under upstream's names: what was transformed and how long it took. Counting only; text is made when somebody scrapes. */
import { createHash } from 'node:crypto';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Direction, TransformMeter } from '../storage/encryption/rules';
import type { ReloadCounts } from './configuration-metrics';
import { Histogram, type HistogramSeries } from './histogram';

const FIRST_BUCKET = 5e-6;
const TRANSFORM_BUCKETS = Array.from({ length: 25 }, (_, index) => Number((FIRST_BUCKET * 2 ** index).toPrecision(12)));

interface Series {
  readonly direction: Direction;
  readonly prefix: string;
  /** By outcome. */
  readonly counts: Map<string, number>;
  readonly durations: HistogramSeries;
}

export class EncryptionMetrics implements TransformMeter {
  /** Those of the services that keep keys, where there are some. */
  services: { text(): string } | undefined;
  private readonly series = new Map<string, Series>();
  private readonly durations = new Histogram({
    name: 'apiserver_storage_transformation_duration_seconds',
    help: 'Time that encrypting or decrypting a value took.',
    labels: ['transformation_type', 'transformer_prefix'],
    buckets: TRANSFORM_BUCKETS,
  });

  /** `prefix` comes from the configuration, `outcome` from gRPC's codes, so there are few. */
  transformed(direction: Direction, prefix: string, outcome: string, seconds: number): void {
    const key = `${direction} ${prefix}`;
    let series = this.series.get(key);
    if (series === undefined) {
      const durations = this.durations.add({ transformation_type: direction, transformer_prefix: prefix });
      this.series.set(key, (series = { direction, prefix, counts: new Map<string, number>(), durations }));
    }
    series.counts.set(outcome, (series.counts.get(outcome) ?? 0) + 1);
    if (outcome === 'OK') series.durations.observe(seconds);
  }

  /** What prom-client does not hold. */
  text(): string {
    return this.durations.text() + (this.services?.text() ?? '');
  }

  publish(registry: Registry): void {
    const { series } = this;
    new Counter({
      name: 'apiserver_storage_transformation_operations_total',
      help: 'Values encrypted and decrypted, by what came of it.',
      labelNames: ['transformation_type', 'transformer_prefix', 'status'],
      registers: [registry],
      collect() {
        this.reset();
        for (const { direction, prefix, counts } of series.values()) {
          for (const [status, count] of counts) this.inc({ transformation_type: direction, transformer_prefix: prefix, status }, count);
        }
      },
    });
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

export function publishEncryption(registry: Registry, { metrics, server, reloads }: EncryptionGauges): void {
  metrics.publish(registry);
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
