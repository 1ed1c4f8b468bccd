/** Services that keep keys of encryption, under upstream's names: what they are asked, and under which of their keys values lie. Names of keys are shown as hashes. */
import type { Clock } from '../../shared/runtime/clock';
import { keyHash } from '../storage/encryption/kms/current-seed';
import type { KmsMeter } from '../storage/encryption/kms/envelope';
import type { Direction } from '../storage/encryption/rules';
import { serverHash } from './configuration-metrics';
import type { Count, Meters } from './meters';

export interface KmsCallMeter extends KmsMeter {
  /** `method` = its path, `code` = gRPC's name of what came of it. */
  called(method: string, code: string, seconds: number): void;
}

interface Use {
  readonly count: Count;
  readonly last: Count;
}

/** Keys whose series are looked up once. */
const MOST_KEYS = 100;

export class KmsMetrics {
  constructor(
    private readonly meters: Meters,
    /** Identifies the replica. */
    private readonly server: string,
    private readonly clock: Clock,
  ) {
    // It is there from the beginning, as upstream's.
    this.meters.count('apiserver_storage_data_key_generation_failures_total');
    this.meters.count('apiserver_storage_envelope_transformation_cache_misses_total');
  }

  of(provider: string): KmsCallMeter {
    const { meters, clock } = this;
    const replica = serverHash(this.server);
    const uses: Record<Direction, Map<string, Use>> = { from_storage: new Map(), to_storage: new Map() };
    const useOf = (direction: Direction, keyId: string): Use => {
      const known = uses[direction].get(keyId);
      if (known !== undefined) return known;
      const labels = [direction, provider, keyHash(keyId), replica] as const;
      const use = {
        count: meters.count('apiserver_envelope_encryption_key_id_hash_total', ...labels),
        last: meters.count('apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds', ...labels),
      };
      if (uses[direction].size >= MOST_KEYS) uses[direction].clear();
      uses[direction].set(keyId, use);
      return use;
    };
    return {
      called: (method, code, seconds) =>
        meters.observer('apiserver_envelope_encryption_kms_operations_latency_seconds', provider, method, code).observe(seconds),
      used(direction, keyId) {
        const { count, last } = useOf(direction, keyId);
        count.add();
        last.value = clock.now() / 1000;
      },
      named(keyId) {
        const name = 'apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds';
        meters.count(name, provider, keyHash(keyId), replica).value = clock.now() / 1000;
      },
      badKeyId: (word) => meters.count('apiserver_envelope_encryption_invalid_key_id_from_status_total', provider, word).add(),
      missed: () => meters.count('apiserver_storage_envelope_transformation_cache_misses_total').add(),
      known(size) {
        meters.count('apiserver_envelope_encryption_dek_source_cache_size', provider).value = size;
      },
      madeSeed: (seconds) => meters.observer('apiserver_storage_data_key_generation_duration_seconds').observe(seconds),
    };
  }
}
