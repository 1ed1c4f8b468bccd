/**
 * The services that keep keys of encryption, as they are configured: each is opened once, kept over reloads that leave it as it is, and closed when the
 * configuration no longer names it. Loaded where there are some, with the library that speaks to them. Knows no rows and no values.
 */
import { NotYetUsableError } from '../../shared/configuration/configuration-files';
import type { Clock } from '../../shared/runtime/clock';
import { parseDuration } from '../../shared/cli/duration';
import type { Logger } from '../../shared/runtime/logger';
import type { RandomBytes } from '../../shared/runtime/random';
import { KmsMetrics } from '../metrics/kms-metrics';
import type { Meters } from '../metrics/meters';
import { hashKeyId } from '../storage/encryption/kms/dek-seed-rotator';
import { KmsEnvelope } from '../storage/encryption/kms/kms-envelope';
import { GrpcKmsService } from '../storage/encryption/kms/grpc-service';
import type { ConfiguredKms } from './encryption-configuration';

export interface KmsParts {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly uuid: () => string;
  readonly logger: Logger;
  readonly meters: Meters;
  /** Identifies this replica in metrics. */
  readonly server: string;
  /** What could not be decrypted may be readable now. */
  readonly onRecovered: () => void;
}

const TIMEOUT_MS = 3_000;

export class KmsProviders {
  /** By what is configured of them. */
  private inUse = new Map<string, KmsEnvelope>();
  private readonly metrics: KmsMetrics;

  constructor(private readonly parts: KmsParts) {
    this.metrics = new KmsMetrics(parts.meters, parts.server, parts.clock);
  }

  /**
   * Those in use as far as they are the same, others opened and asked for the first time; nothing is in use before {@link use}. Rejects with
   * {@link NotYetUsableError} where the others have to be well and are not.
   */
  async open(configured: readonly ConfiguredKms[], newProviders: 'unchecked' | 'healthy'): Promise<readonly KmsEnvelope[]> {
    const envelopes = configured.map((provider) => this.inUse.get(providerKey(provider)) ?? this.createEnvelope(provider));
    const known = [...this.inUse.values()];
    const added = envelopes.filter((envelope) => !known.includes(envelope));
    await Promise.all(added.map((envelope) => envelope.start()));
    const fault = newProviders === 'healthy' && added.length > 0 ? await healthOf(envelopes, added) : undefined;
    if (fault === undefined) return envelopes;
    for (const envelope of added) envelope.close();
    throw new NotYetUsableError(`health check for new transformers failed: ${fault}`);
  }

  /** From now on these are in use, and the others closed. */
  use(configured: readonly ConfiguredKms[], envelopes: readonly KmsEnvelope[]): void {
    const before = this.inUse;
    this.inUse = new Map(envelopes.map((envelope, at) => [providerKey(configured[at] ?? {}), envelope]));
    for (const envelope of before.values()) if (!envelopes.includes(envelope)) envelope.close();
  }

  /** What is wrong with those in use; undefined = nothing. */
  health(): Promise<string | undefined> {
    const envelopes = [...this.inUse.values()];
    return healthOf(envelopes, envelopes);
  }

  close(): void {
    for (const envelope of this.inUse.values()) envelope.close();
    this.inUse.clear();
  }

  private createEnvelope({ name = '', endpoint = '', timeout }: ConfiguredKms): KmsEnvelope {
    const { clock, random, uuid, onRecovered } = this.parts;
    const logger = this.parts.logger.child({ provider: name });
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
      onHealthChange(fault) {
        if (fault === undefined) logger.info('the service that keeps keys of encryption is well again');
        else logger.error('the service that keeps keys of encryption is not well', { reason: fault });
      },
      onSeedRotated: (keyId) => logger.info('values are encrypted with a new seed', { keyIdHash: hashKeyId(keyId) }),
      onRecovered,
    });
  }
}

const providerKey = ({ name, endpoint, timeout }: ConfiguredKms): string => JSON.stringify([name, endpoint, timeout]);

/** What is wrong with some of a configuration's providers, which are told by their places in it. */
async function healthOf(envelopes: readonly KmsEnvelope[], checked: readonly KmsEnvelope[]): Promise<string | undefined> {
  const health = await Promise.all(envelopes.map(async (envelope) => (checked.includes(envelope) ? envelope.health() : undefined)));
  const faults = health.flatMap((fault, at) => (fault === undefined ? [] : [`kms-provider-${at}: ${fault}`]));
  const [only] = faults;
  return faults.length > 1 ? `[${faults.join(', ')}]` : only;
}
