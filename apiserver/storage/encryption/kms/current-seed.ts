/**
 * The seed with which values are written: made here, encrypted by the service, replaced when the service names another key, and void when the service has not
 * confirmed its key for three minutes. Asks how the service is doing, each minute while it is well and more often while it is not. Decrypts nothing.
 */
import { createHash } from 'node:crypto';
import type { Clock, Timer } from '../../../../shared/runtime/clock';
import { errorMessage } from '../../../../shared/runtime/error-message';
import { TransformFault, type Cipher } from '../ciphers';
import { checkSource, keyIdFault } from './sealed-value';
import type { KmsSealed, KmsService, KmsStatus } from './service';

export interface Seed {
  readonly source: KmsSealed;
  readonly cipher: Cipher;
}

export interface CurrentSeedParts {
  /** Of the provider. */
  readonly name: string;
  readonly service: KmsService;
  readonly clock: Clock;
  readonly uuid: () => string;
  readonly newSeed: () => Buffer;
  readonly cipherOf: (seed: Buffer) => Cipher;
  /** Another seed is in use from now on. */
  readonly replaced: (seed: Seed) => void;
  /** The service was asked how it is doing: the key that it named, where it may be used, and what is wrong. */
  readonly polled: (outcome: { readonly keyId: string | undefined; readonly fault: string | undefined }) => void;
  readonly badKeyId: (word: 'empty' | 'too_long') => void;
}

export const POLL_MS = { well: 60_000, unwell: 10_000 } as const;
/** A seed may be used for so long after the service has last named its key. */
export const CONFIRMED_MS = 3 * 60_000;
/** Whoever asks for the health within this time after a poll is told what that found. */
export const HEALTH_MS = { well: 20_000, unwell: 3_000 } as const;

const VERSIONS: readonly string[] = ['v2', 'v2beta1'];

interface Confirmed extends Seed {
  /** Of the monotonic clock; `expiresAt` for people. */
  readonly until: number;
  readonly expiresAt: number;
}

interface Poll {
  readonly at: number;
  /** Undefined = the service is well. */
  readonly fault: string | undefined;
  /** There was no answer to judge. */
  readonly isUnanswered: boolean;
}

export class CurrentSeed {
  private confirmed: Confirmed | undefined;
  private last: Poll | undefined;
  private polling: Promise<Poll> | undefined;
  private timer: Timer | undefined;
  /** What the timer waits for. */
  private isUrgent = false;
  private isClosed = false;

  constructor(private readonly parts: CurrentSeedParts) {}

  /** Asks the service for the first time; never rejects. */
  async start(): Promise<void> {
    await this.poll();
  }

  close(): void {
    this.isClosed = true;
    this.timer?.cancel();
  }

  /** What new values are written with. Throws {@link TransformFault} where there is nothing that may be used. */
  usable(): Seed {
    const { confirmed } = this;
    const { clock } = this.parts;
    if (confirmed === undefined) throw new TransformFault('got unexpected nil transformer');
    if (clock.monotonic() < confirmed.until) return confirmed;
    const at = `expired at ${shown(confirmed.expiresAt)} (current time is ${shown(clock.now())})`;
    throw new TransformFault(`encryptedDEKSource with keyID hash ${hashOf(confirmed.source.keyId)} ${at}`);
  }

  /** The key that the seed in use is encrypted with; undefined = there is no seed. */
  get keyId(): string | undefined {
    return this.confirmed?.source.keyId;
  }

  /** Something went wrong: the service is asked soon how it is doing. */
  hurry(): void {
    if (!this.isUrgent && !this.isClosed && this.polling === undefined) this.plan(true);
  }

  /** What is wrong with the service; undefined = nothing. */
  async health(): Promise<string | undefined> {
    const { last } = this;
    const age = last === undefined ? Infinity : this.parts.clock.monotonic() - last.at;
    if (last !== undefined && age < (last.fault === undefined ? HEALTH_MS.well : HEALTH_MS.unwell)) return last.fault;
    const { fault, isUnanswered } = await this.poll();
    if (fault === undefined || !isUnanswered) return fault;
    return `failed to perform status section of the healthz check for KMS Provider ${this.parts.name}, error: ${fault}`;
  }

  /** One for all who ask meanwhile; the next one is planned from its end. */
  private poll(): Promise<Poll> {
    this.polling ??= this.polled().finally(() => (this.polling = undefined));
    return this.polling;
  }

  private async polled(): Promise<Poll> {
    const { clock, polled } = this.parts;
    this.timer?.cancel();
    const { fault, isUnanswered, keyId } = await this.looked();
    const poll = { at: clock.monotonic(), fault, isUnanswered };
    if (this.isClosed) return poll;
    this.last = poll;
    polled({ keyId, fault });
    this.plan(fault !== undefined);
    return poll;
  }

  private plan(isUrgent: boolean): void {
    this.timer?.cancel();
    this.isUrgent = isUrgent;
    this.timer = this.parts.clock.after(isUrgent ? POLL_MS.unwell : POLL_MS.well, () => void this.poll());
  }

  private async looked(): Promise<Omit<Poll, 'at'> & { readonly keyId: string | undefined }> {
    let status: KmsStatus;
    try {
      status = await this.parts.service.status();
    } catch (error) {
      return { fault: errorMessage(error), isUnanswered: true, keyId: undefined };
    }
    const wrongKey = keyIdFault(status.keyId);
    if (wrongKey !== undefined) this.parts.badKeyId(wrongKey.word);
    const unkept = wrongKey === undefined ? await this.follow(status.keyId) : invalidKey(status.keyId, wrongKey.text);
    const faults = [...faultsOf(status), ...(unkept === undefined ? [] : [unkept])];
    const [only] = faults;
    const told = faults.length > 1 ? `[${faults.join(', ')}]` : only;
    return {
      fault: told === undefined ? undefined : `kmsv2 Provider ${this.parts.name} is not healthy, error: ${told}`,
      isUnanswered: false,
      keyId: wrongKey === undefined ? status.keyId : undefined,
    };
  }

  /** Confirms the seed, or makes another one where the key is another one. Returns what keeps it from that. */
  private async follow(keyId: string): Promise<string | undefined> {
    const { clock, service, uuid, newSeed, cipherOf, replaced } = this.parts;
    const times = { until: clock.monotonic() + CONFIRMED_MS, expiresAt: clock.now() + CONFIRMED_MS };
    if (this.confirmed?.source.keyId === keyId) {
      this.confirmed = { ...this.confirmed, ...times };
      return undefined;
    }
    const uid = uuid();
    const seed = newSeed();
    let source: KmsSealed | undefined;
    let fault: string | undefined;
    try {
      const made = await service.encrypt(seed, uid).catch((error: unknown) => {
        throw new TransformFault(`failed to encrypt DEK, error: ${errorMessage(error)}`);
      });
      checkSource(made);
      source = made;
    } catch (error) {
      fault = errorMessage(error);
    }
    if (source?.keyId !== keyId) return this.unreplaced({ uid, statusKey: keyId, madeKey: source?.keyId ?? '', fault });
    if (this.isClosed) return undefined;
    const cipher = cipherOf(seed);
    this.confirmed = { source, cipher, ...times };
    replaced({ source, cipher });
    return undefined;
  }

  private unreplaced(made: { uid: string; statusKey: string; madeKey: string; fault: string | undefined }): string {
    const { confirmed } = this;
    const errState = confirmed === undefined ? 'got unexpected nil transformer' : '<nil>';
    const until = confirmed === undefined ? '0001-01-01T00:00:00Z' : shown(confirmed.expiresAt);
    return (
      `failed to rotate DEK uid="${made.uid}", useSeed=true, errState=${errState}, errGen=${made.fault ?? '<nil>'}, ` +
      `statusKeyIDHash=${hashOf(made.statusKey)}, encryptKeyIDHash=${hashOf(made.madeKey)}, ` +
      `stateKeyIDHash=${hashOf(confirmed?.source.keyId ?? '')}, expirationTimestamp=${until}`
    );
  }
}

function faultsOf({ healthz, version }: KmsStatus): readonly string[] {
  const faults: string[] = [];
  if (healthz !== 'ok') faults.push(`got unexpected healthz status: ${healthz}`);
  if (!VERSIONS.includes(version)) faults.push(`expected KMSv2 API version v2, got ${version}`);
  return faults;
}

const invalidKey = (keyId: string, text: string): string => `got invalid KMSv2 KeyID hash ${hashOf(keyId)}: ${text}`;

/** Names of keys are nobody's business: logs, metrics and messages show their hashes. */
export const keyHash = (keyId: string): string => (keyId === '' ? '' : `sha256:${createHash('sha256').update(keyId).digest('hex')}`);

const hashOf = (keyId: string): string => `"${keyHash(keyId)}"`;

/** To the second. */
const shown = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
