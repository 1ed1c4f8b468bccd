/**
 * KMS v2 metrics under upstream's names: calls of the plug-ins and use of their keys. Key IDs are exposed as hashes.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { hashKeyId } from '../../storage/encryption/kms/dek-seed-rotator';
import type { KmsMetricsRecorder } from '../../storage/encryption/kms/kms-envelope';
import type { Direction } from '../../storage/encryption/value-transformer';
import { hashServerId } from '../registry/configuration-metrics';
import type { NumberSeries, Meters } from '../registry/meters';

/** Records the metrics of one provider, calls of its plug-in included. */
export interface KmsProviderRecorder extends KmsMetricsRecorder {
  /** `method` is the gRPC path, `code` the name of the gRPC status. */
  recordCall(method: string, code: string, seconds: number): void;
}

/** The uses of one key in one direction. */
interface KeyUseSeries {
  readonly count: NumberSeries;
  readonly lastUsed: NumberSeries;
}

/** Maximum number of keys with cached series, per provider and direction; the next key evicts all. */
const MAX_CACHED_KEYS = 100;

/** The metrics of all KMS providers. */
export class KmsMetrics {
  constructor(
    private readonly meters: Meters,
    /** Identifies the replica. */
    private readonly server: string,
    private readonly clock: Clock,
  ) {
    // Creates the series, so that they are exposed before their first use, as upstream does.
    this.meters.counter('apiserver_storage_data_key_generation_failures_total');
    this.meters.counter('apiserver_storage_envelope_transformation_cache_misses_total');
  }

  /** The recorder of one provider, which caches the series of its keys. */
  recorderFor(provider: string): KmsProviderRecorder {
    const { meters, clock } = this;
    const replica = hashServerId(this.server);
    const uses: Record<Direction, Map<string, KeyUseSeries>> = { from_storage: new Map(), to_storage: new Map() };
    const useOf = (direction: Direction, keyId: string): KeyUseSeries => {
      const existing = uses[direction].get(keyId);
      if (existing !== undefined) return existing;
      const labels = [direction, provider, hashKeyId(keyId), replica] as const;
      const use = {
        count: meters.counter('apiserver_envelope_encryption_key_id_hash_total', ...labels),
        lastUsed: meters.counter('apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds', ...labels),
      };
      if (uses[direction].size >= MAX_CACHED_KEYS) uses[direction].clear();
      uses[direction].set(keyId, use);
      return use;
    };
    return {
      recordCall: (method, code, seconds) =>
        meters.observer('apiserver_envelope_encryption_kms_operations_latency_seconds', provider, method, code).observe(seconds),
      recordKeyUse(direction, keyId) {
        const { count, lastUsed } = useOf(direction, keyId);
        count.add();
        lastUsed.value = clock.now() / 1000;
      },
      recordStatusKeyId(keyId) {
        const name = 'apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds';
        meters.counter(name, provider, hashKeyId(keyId), replica).value = clock.now() / 1000;
      },
      recordInvalidKeyId: (reason) =>
        meters.counter('apiserver_envelope_encryption_invalid_key_id_from_status_total', provider, reason).add(),
      recordCacheMiss: () => meters.counter('apiserver_storage_envelope_transformation_cache_misses_total').add(),
      setCacheSize(size) {
        meters.counter('apiserver_envelope_encryption_dek_source_cache_size', provider).value = size;
      },
      observeSeedGeneration: (seconds) => meters.observer('apiserver_storage_data_key_generation_duration_seconds').observe(seconds),
    };
  }
}
