/**
 * Values under the key of a service: written with the seed of the moment, read with the one that they name, which is asked for once. Brings the parts together;
 * knows neither the way to the service nor resources.
 */
import type { Clock } from '../../../../shared/runtime/clock';
import type { RandomBytes } from '../../../../shared/runtime/random';
import { errorMessage } from '../../../../shared/runtime/error-message';
import { TransformFault } from '../ciphers';
import type { Direction, Envelope, Opened } from '../rules';
import { CurrentSeed } from './current-seed';
import { KnownSeeds, type KnownSecret, type SourceOf } from './known-seeds';
import { decodeSealedValue, encodeSealedValue, type SealedValue } from './sealed-value';
import { KmsFault, type KmsService } from './service';
import { cipherOf, SEED_LENGTH } from './value-keys';

/** Counts what is done. */
export interface KmsMeter {
  used(direction: Direction, keyId: string): void;
  /** The service has named its key. */
  named(keyId: string): void;
  badKeyId(word: 'empty' | 'too_long'): void;
  missed(): void;
  /** How many secrets are known. */
  known(size: number): void;
  madeSeed(seconds: number): void;
}

export interface KmsEnvelopeParts {
  readonly name: string;
  readonly service: KmsService;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly uuid: () => string;
  readonly meter: KmsMeter;
  /** What is wrong with the service; undefined = it is well again. Told when that changes. */
  readonly doing: (fault: string | undefined) => void;
  /** Another seed is in use, under this key. */
  readonly replaced: (keyId: string) => void;
  /** What could not be decrypted may be readable now. */
  readonly recovered: () => void;
}

const AGAIN_MS = { first: 10_000, longest: 10 * 60_000 };

export class KmsEnvelope implements Envelope {
  private readonly current: CurrentSeed;
  private readonly known: KnownSeeds;
  private fault: string | undefined;
  /** When the cache is told next to read again what could not be decrypted, and how long it waits after that. */
  private again = { at: 0, waitMs: AGAIN_MS.first };

  constructor(private readonly parts: KmsEnvelopeParts) {
    const { name, service, clock, random, uuid, meter } = parts;
    this.known = new KnownSeeds({
      clock,
      ask: (source) => this.asked(source),
      missed: () => meter.missed(),
      failed: () => this.current.hurry(),
      sized: (size) => meter.known(size),
    });
    this.current = new CurrentSeed({
      name,
      service,
      clock,
      uuid,
      newSeed: () => this.newSeed(),
      cipherOf: (seed) => cipherOf('seed', seed, random),
      replaced: ({ source, cipher }) => {
        this.known.keep({ source, sourceType: 'seed' }, { keyId: source.keyId, cipher });
        parts.replaced(source.keyId);
      },
      polled: ({ keyId, fault }) => this.polled(keyId, fault),
      badKeyId: (word) => meter.badKeyId(word),
    });
  }

  /** Resolves when the service has been asked for the first time, whatever it said. */
  start(): Promise<void> {
    return this.current.start();
  }

  health(): Promise<string | undefined> {
    return this.current.health();
  }

  close(): void {
    this.current.close();
    this.parts.service.close();
  }

  seal(plain: Buffer, place: string): Buffer {
    const { source, cipher } = this.current.usable();
    this.parts.meter.used('to_storage', source.keyId);
    return encodeSealedValue({ data: cipher.seal(plain, place), source, sourceType: 'seed' });
  }

  prepare(sealed: Buffer): Promise<void> | undefined {
    let value: SealedValue;
    try {
      value = decodeSealedValue(sealed);
    } catch (error) {
      // It is told when the value is opened.
      if (error instanceof TransformFault) return undefined;
      throw error;
    }
    return this.known.prepare(value);
  }

  open(sealed: Buffer, place: string): Opened {
    const value = decodeSealedValue(sealed);
    const { keyId, cipher } = this.known.of(value);
    const opened = cipher.open(value.data, place);
    this.parts.meter.used('from_storage', keyId);
    const current = this.current.keyId;
    return { value: opened, isOutdated: value.sourceType === 'key' || (current !== undefined && current !== keyId) };
  }

  private newSeed(): Buffer {
    const { clock, random, meter } = this.parts;
    const since = clock.monotonic();
    const seed = random(SEED_LENGTH);
    meter.madeSeed((clock.monotonic() - since) / 1000);
    return seed;
  }

  private async asked({ source, sourceType }: SourceOf): Promise<KnownSecret> {
    const { service, uuid, random } = this.parts;
    // The bytes are a view of what was read from the store.
    const copy = { ...source, ciphertext: Buffer.from(source.ciphertext) };
    const secret = await service.decrypt(copy, uuid()).catch((error: unknown) => {
      const text = errorMessage(error);
      throw new TransformFault(`failed to decrypt DEK, error: ${text}`, error instanceof KmsFault ? error.code : undefined);
    });
    return { keyId: source.keyId, cipher: cipherOf(sourceType, secret, random) };
  }

  private polled(keyId: string | undefined, fault: string | undefined): void {
    const { clock, meter, doing, recovered } = this.parts;
    if (keyId !== undefined) meter.named(keyId);
    if ((fault === undefined) !== (this.fault === undefined)) doing(fault);
    this.fault = fault;
    // One that has answered may decrypt, well or not; one that goes on refusing is given more and more time, because the cache reads whole types again.
    if (keyId === undefined || !this.known.hasFailures) {
      this.again = { at: 0, waitMs: AGAIN_MS.first };
      return;
    }
    const now = clock.monotonic();
    const { at, waitMs } = this.again;
    if (now < at) return;
    this.again = { at: now + waitMs, waitMs: Math.min(waitMs * 2, AGAIN_MS.longest) };
    this.known.forgive();
    recovered();
  }
}
