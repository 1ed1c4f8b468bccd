/**
 * The secrets that the service has decrypted, or that were made here: so many are remembered, the one used longest ago goes first. Each is asked for once,
 * however many values wait for it; what failed is remembered for a while, and a service that does not answer at all is left alone for as long, so that a
 * long list costs a few calls. Never decrypts a value.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../../shared/runtime/clock';
import { TransformFault, type Cipher } from '../ciphers';
import type { SealedValue } from './sealed-value';

export interface KnownSecret {
  readonly keyId: string;
  readonly cipher: Cipher;
}

export type SourceOf = Pick<SealedValue, 'source' | 'sourceType'>;

export interface KnownSeedsParts {
  readonly clock: Clock;
  /** Asks the service. Rejects with {@link TransformFault}. */
  readonly ask: (source: SourceOf) => Promise<KnownSecret>;
  /** A value needs what is not known. */
  readonly missed: () => void;
  /** Something could not be had. */
  readonly failed: () => void;
  /** So many are known now. */
  readonly sized: (size: number) => void;
}

export const MOST_SEEDS = 1_000;
const MOST_FAILURES = 1_000;
/** For so long what has failed is not asked for again. */
export const RETRY_MS = 1_000;
/** Nobody answers, as opposed to an answer that refuses. */
const AWAY: readonly (string | undefined)[] = ['DeadlineExceeded', 'Unavailable'];

interface Failure {
  readonly at: number;
  readonly fault: TransformFault;
}

export class KnownSeeds {
  private readonly known = new LRUCache<string, KnownSecret>({ max: MOST_SEEDS });
  private readonly failures = new LRUCache<string, Failure>({ max: MOST_FAILURES });
  private readonly asked = new Map<string, Promise<void>>();
  /** The last time that nobody answered. */
  private away: Failure | undefined;

  constructor(private readonly parts: KnownSeedsParts) {}

  /** Whether something could not be decrypted since {@link forgive}. */
  get hasFailures(): boolean {
    return this.failures.size > 0;
  }

  /** Everything may be asked for again. */
  forgive(): void {
    this.failures.clear();
    this.away = undefined;
  }

  keep(source: SourceOf, secret: KnownSecret): void {
    this.remember(idOf(source), secret);
  }

  /** To be waited for before {@link of}; undefined = there is nothing to wait for. Never rejects. */
  prepare(source: SourceOf): Promise<void> | undefined {
    const id = idOf(source);
    if (this.known.has(id)) return undefined;
    const under = this.asked.get(id);
    if (under !== undefined) return under;
    this.parts.missed();
    if (this.isRecent(this.failures.get(id))) return undefined;
    if (this.isRecent(this.away)) {
      this.failures.set(id, this.away);
      return undefined;
    }
    const asking = this.ask(id, source);
    this.asked.set(id, asking);
    return asking;
  }

  /** Throws {@link TransformFault} where it could not be had. */
  of(source: SourceOf): KnownSecret {
    const id = idOf(source);
    const found = this.known.get(id);
    if (found !== undefined) return found;
    throw this.failures.get(id)?.fault ?? new TransformFault('failed to decrypt DEK, error: it has not been asked for');
  }

  private async ask(id: string, source: SourceOf): Promise<void> {
    try {
      this.remember(id, await this.parts.ask(source));
      this.failures.delete(id);
    } catch (error) {
      const fault = error instanceof TransformFault ? error : new TransformFault(`failed to decrypt DEK, error: ${String(error)}`);
      const failure = { at: this.parts.clock.monotonic(), fault };
      this.failures.set(id, failure);
      if (AWAY.includes(fault.code)) this.away = failure;
      this.parts.failed();
    } finally {
      this.asked.delete(id);
    }
  }

  private remember(id: string, secret: KnownSecret): void {
    this.known.set(id, secret);
    this.parts.sized(this.known.size);
  }

  private isRecent(failure: Failure | undefined): failure is Failure {
    return failure !== undefined && this.parts.clock.monotonic() - failure.at < RETRY_MS;
  }
}

/** Longer names are replaced by their hashes, which take longer to make. */
const LONGEST_NAME = 512;

/** Names a source by all that the service is told of it. */
function idOf({ source: { ciphertext, keyId, annotations }, sourceType }: SourceOf): string {
  let name = `${sourceType}:${ciphertext.length}:${ciphertext.toString('latin1')}${keyId.length}:${keyId}`;
  const keys = annotations.size > 1 ? [...annotations.keys()].sort() : annotations.keys();
  for (const key of keys) {
    const value = annotations.get(key)?.toString('latin1') ?? '';
    name += `${key.length}:${key}${value.length}:${value}`;
  }
  return name.length <= LONGEST_NAME ? name : createHash('sha256').update(name).digest('base64');
}
