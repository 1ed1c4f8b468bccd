/**
 * The services that keep keys of encryption, as they are configured: each is opened once, kept over reloads that leave it as it is, and closed when the
 * configuration no longer names it. The way to them is loaded with the first one. Knows no rows and no values.
 */
import type { Clock } from '../../shared/runtime/clock';
import { parseDuration } from '../../shared/runtime/duration';
import type { Logger } from '../../shared/runtime/logger';
import type { RandomBytes } from '../../shared/runtime/random';
import type { KmsMetrics } from '../metrics/kms-metrics';
import { keyHash } from '../storage/encryption/kms/current-seed';
import { KmsEnvelope } from '../storage/encryption/kms/envelope';
import type { ConfiguredKms } from './encryption-configuration';

export interface KmsParts {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly uuid: () => string;
  readonly logger: Logger;
  readonly metrics: () => KmsMetrics;
  /** What could not be decrypted may be readable now. */
  readonly recovered: () => void;
}

const TIMEOUT_MS = 3_000;

/** The providers of one configuration, before or while they are in use. */
export interface KmsSet {
  readonly envelopes: readonly KmsEnvelope[];
  /** Those that the configuration before it did not have. */
  readonly added: readonly KmsEnvelope[];
}

export class KmsProviders {
  /** By what is configured of them. */
  private inUse = new Map<string, KmsEnvelope>();

  constructor(private readonly parts: KmsParts) {}

  /** Those in use as far as they are the same, others opened and asked for the first time; see {@link use} and {@link drop}. */
  async open(configured: readonly ConfiguredKms[]): Promise<KmsSet> {
    const envelopes: KmsEnvelope[] = [];
    const added: KmsEnvelope[] = [];
    for (const one of configured) {
      const known = this.inUse.get(idOf(one));
      const envelope = known ?? (await this.opened(one));
      envelopes.push(envelope);
      if (known === undefined) added.push(envelope);
    }
    await Promise.all(added.map((envelope) => envelope.start()));
    return { envelopes, added };
  }

  /** From now on these are in use, and the others closed. */
  use(configured: readonly ConfiguredKms[], { envelopes }: KmsSet): void {
    const before = this.inUse;
    this.inUse = new Map(envelopes.map((envelope, at) => [idOf(configured[at] ?? {}), envelope]));
    for (const envelope of before.values()) if (!envelopes.includes(envelope)) envelope.close();
  }

  /** They were not put to use. */
  drop({ added }: KmsSet): void {
    for (const envelope of added) envelope.close();
  }

  get areThere(): boolean {
    return this.inUse.size > 0;
  }

  /** What is wrong with those in use; undefined = nothing. */
  health(): Promise<string | undefined> {
    return healthOf([...this.inUse.values()]);
  }

  close(): void {
    for (const envelope of this.inUse.values()) envelope.close();
    this.inUse.clear();
  }

  private async opened({ name = '', endpoint = '', timeout }: ConfiguredKms): Promise<KmsEnvelope> {
    const { clock, random, uuid, metrics, recovered } = this.parts;
    const logger = this.parts.logger.child({ provider: name });
    const { GrpcKmsService } = await import('../storage/encryption/kms/grpc-service.js');
    const meter = metrics().of(name);
    const timeoutMs = (timeout === undefined ? undefined : parseDuration(timeout)) ?? TIMEOUT_MS;
    const service = new GrpcKmsService({ endpoint, timeoutMs, clock, called: (...call) => meter.called(...call) });
    return new KmsEnvelope({
      name,
      service,
      clock,
      random,
      uuid,
      meter,
      doing(fault) {
        if (fault === undefined) logger.info('the service that keeps keys of encryption is well again');
        else logger.error('the service that keeps keys of encryption is not well', { reason: fault });
      },
      replaced: (keyId) => logger.info('values are encrypted with a new seed', { keyIdHash: keyHash(keyId) }),
      recovered,
    });
  }
}

const idOf = ({ name, endpoint, timeout }: ConfiguredKms): string => JSON.stringify([name, endpoint, timeout]);

export async function healthOf(envelopes: readonly KmsEnvelope[]): Promise<string | undefined> {
  const health = await Promise.all(envelopes.map((envelope) => envelope.health()));
  const faults = health.flatMap((fault, at) => (fault === undefined ? [] : [`kms-provider-${at}: ${fault}`]));
  const [only] = faults;
  return faults.length > 1 ? `[${faults.join(', ')}]` : only;
}
