/**
 * The configured KMS providers: each is opened once, kept across reloads that do not change it, and closed when it is
 * no longer configured. Loaded only when there is one, together with the gRPC library.
 */
import { NotYetUsableError } from '../../../shared/configuration/configuration-files';
import type { Clock } from '../../../shared/runtime/clock';
import { parseDuration } from '../../../shared/cli/duration';
import type { Logger } from '../../../shared/runtime/logger';
import type { RandomBytes } from '../../../shared/runtime/random';
import { KmsMetrics } from '../../metrics/storage/kms-metrics';
import type { Meters } from '../../metrics/registry/meters';
import { hashKeyId } from '../../storage/encryption/kms/dek-seed-rotator';
import { KmsEnvelope } from '../../storage/encryption/kms/kms-envelope';
import { GrpcKmsService } from '../../storage/encryption/kms/grpc-service';
import type { ConfiguredKms } from './encryption-configuration';

/** Dependencies of the calls of all KMS plug-ins. */
export interface KmsDependencies {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly uuid: () => string;
  readonly logger: Logger;
  readonly meters: Meters;
  /** Identifies this replica in metrics. */
  readonly server: string;
  /** Called when values that could not be decrypted may be readable again. */
  readonly onRecovered: () => void;
}

/** Time limit of a call without a configured one. */
const TIMEOUT_MS = 3_000;

/** The KMS providers of the encryption configuration in use. */
export class KmsProviders {
  /** Envelopes by configuration. */
  private inUse = new Map<string, KmsEnvelope>();
  private readonly metrics: KmsMetrics;

  constructor(private readonly deps: KmsDependencies) {
    this.metrics = new KmsMetrics(deps.meters, deps.server, deps.clock);
  }

  /**
   * Returns the envelopes of the configuration, in its order. Those of unchanged providers are reused, the others are
   * created and started. They come into use with {@link use}, or are closed with {@link discard}. When `newProviders`
   * must be `healthy` and one is not, closes the new envelopes and rejects with {@link NotYetUsableError}.
   */
  async open(configured: readonly ConfiguredKms[], newProviders: 'unchecked' | 'healthy'): Promise<readonly KmsEnvelope[]> {
    const envelopes = configured.map((provider) => this.inUse.get(providerKey(provider)) ?? this.createEnvelope(provider));
    const envelopesInUse = [...this.inUse.values()];
    const added = envelopes.filter((envelope) => !envelopesInUse.includes(envelope));
    await Promise.all(added.map((envelope) => envelope.start()));
    const mustBeHealthy = newProviders === 'healthy' && added.length > 0;
    const error = mustBeHealthy ? await healthErrorOf(envelopes, (envelope) => added.includes(envelope)) : undefined;
    if (error === undefined) return envelopes;
    for (const envelope of added) envelope.close();
    throw new NotYetUsableError(`health check for new transformers failed: ${error}`);
  }

  /**
   * Replaces the envelopes in use by those that {@link open} returned for `configured`, and closes the previous ones that
   * are not among them.
   */
  use(configured: readonly ConfiguredKms[], envelopes: readonly KmsEnvelope[]): void {
    const previous = this.inUse;
    this.inUse = new Map(envelopes.map((envelope, index) => [providerKey(configured[index] ?? {}), envelope]));
    for (const envelope of previous.values()) {
      if (!envelopes.includes(envelope)) envelope.close();
    }
  }

  /** Closes envelopes that have been opened and do not come into use. */
  discard(envelopes: readonly KmsEnvelope[]): void {
    const envelopesInUse = [...this.inUse.values()];
    for (const envelope of envelopes) {
      if (!envelopesInUse.includes(envelope)) envelope.close();
    }
  }

  /** The error of the providers in use; `undefined` when all are healthy. */
  health(): Promise<string | undefined> {
    return healthErrorOf([...this.inUse.values()], () => true);
  }

  close(): void {
    for (const envelope of this.inUse.values()) envelope.close();
    this.inUse.clear();
  }

  private createEnvelope({ name = '', endpoint = '', timeout }: ConfiguredKms): KmsEnvelope {
    const { clock, random, uuid, onRecovered } = this.deps;
    const logger = this.deps.logger.child({ provider: name });
    const meter = this.metrics.recorderFor(name);
    const timeoutMs = (timeout === undefined ? undefined : parseDuration(timeout)) ?? TIMEOUT_MS;
    const service = new GrpcKmsService({ endpoint, timeoutMs, clock, onCall: (...call) => meter.recordCall(...call) });
    return new KmsEnvelope({
      name,
      service,
      clock,
      random,
      uuid,
      metrics: meter,
      onHealthChange(error) {
        if (error === undefined) logger.info('the KMS plug-in is healthy again');
        else logger.error('the KMS plug-in is not healthy', { reason: error });
      },
      onSeedRotated: (keyId) => logger.info('values are encrypted with a new seed', { keyIdHash: hashKeyId(keyId) }),
      onRecovered,
    });
  }
}

const providerKey = ({ name, endpoint, timeout }: ConfiguredKms): string => JSON.stringify([name, endpoint, timeout]);

/**
 * The errors of the unhealthy providers that `isChecked` selects; `undefined` when all are healthy. A provider is
 * identified by its index in the configuration: `kms-provider-0: …`.
 */
async function healthErrorOf(
  envelopes: readonly KmsEnvelope[],
  isChecked: (envelope: KmsEnvelope) => boolean,
): Promise<string | undefined> {
  const health = await Promise.all(envelopes.map(async (envelope) => (isChecked(envelope) ? envelope.health() : undefined)));
  const errors = health.flatMap((error, index) => (error === undefined ? [] : [`kms-provider-${index}: ${error}`]));
  return errors.length > 1 ? `[${errors.join(', ')}]` : errors[0];
}
