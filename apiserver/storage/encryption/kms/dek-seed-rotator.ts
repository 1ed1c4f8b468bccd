/**
 * The DEK seed with which values are encrypted. It is generated here and encrypted by the KMS plug-in, rotated when the
 * plug-in reports another key ID, and expires three minutes after the plug-in last confirmed its key ID. Polls the
 * status of the plug-in every minute, more often while it is unhealthy. Decryption is left to dek-cache.ts.
 */
import { createHash } from 'node:crypto';
import type { Clock, Timer } from '../../../../shared/runtime/clock';
import { errorMessage } from '../../../../shared/runtime/error-message';
import { TransformError, type Cipher } from '../ciphers';
import { checkDekSource, keyIdError } from './encrypted-object';
import type { EncryptedDekSource, KmsService, KmsStatus } from './kms-service';

/** A seed in its encrypted form, which values carry, and the cipher that derives their DEKs from it. */
export interface DekSeed {
  readonly source: EncryptedDekSource;
  readonly cipher: Cipher;
}

/** The plug-in of one provider, and what rotation needs and reports. */
export interface DekSeedRotatorOptions {
  /** Name of the provider. */
  readonly name: string;
  readonly service: KmsService;
  readonly clock: Clock;
  /** A new ID for a call of the plug-in. */
  readonly uuid: () => string;
  /** Random bytes for a new seed. */
  readonly newSeed: () => Buffer;
  /** The cipher that encrypts values with DEKs of a seed. */
  readonly createCipher: (seed: Buffer) => Cipher;
  /** Called when a new seed is in use. */
  readonly onRotated: (seed: DekSeed) => void;
  /** Called after each status poll: with the reported key ID, if it is valid, and the error. */
  readonly onPolled: (outcome: { readonly keyId: string | undefined; readonly error: string | undefined }) => void;
  /** Called for every response of the plug-in with an invalid key ID. */
  readonly onInvalidKeyId: (reason: 'empty' | 'too_long') => void;
}

/** Intervals of status polls, as upstream's. */
export const POLL_INTERVAL_MS = { healthy: 60_000, unhealthy: 10_000 } as const;
/** Validity of a seed after the plug-in last confirmed its key ID. */
export const SEED_VALIDITY_MS = 3 * 60_000;
/** A health check within this time of the last poll uses the result of that poll. */
export const HEALTH_CACHE_MS = { healthy: 20_000, unhealthy: 3_000 } as const;

const SUPPORTED_VERSIONS: readonly string[] = ['v2', 'v2beta1'];

interface SeedValidity {
  /** End of the validity, in milliseconds of the monotonic clock. */
  readonly validUntil: number;
  /** The same time on the wall clock, for messages. */
  readonly expiresAt: number;
}

/** A seed that the plug-in encrypted with its current key, as far as it has reported. */
interface ConfirmedSeed extends DekSeed, SeedValidity {}

interface PollResult {
  readonly at: number;
  /** Undefined when the plug-in is healthy. */
  readonly error: string | undefined;
  /** Whether the status call itself failed, for example because the plug-in did not respond. */
  readonly hasCallFailed: boolean;
}

/** A failed rotation. */
interface RotationAttempt {
  readonly uid: string;
  /** The key ID that the plug-in reported in its status. */
  readonly statusKeyId: string;
  /** The key ID in the response to the encryption; empty when it failed. */
  readonly encryptKeyId: string;
  /** The error of the encryption; `undefined` when only the key IDs differ. */
  readonly error: string | undefined;
}

/** The seed of one provider. */
export class DekSeedRotator {
  private confirmed: ConfirmedSeed | undefined;
  private lastPoll: PollResult | undefined;
  private polling: Promise<PollResult> | undefined;
  private timer: Timer | undefined;
  /** Whether the pending timer uses the interval of an unhealthy plug-in. */
  private isPollingSoon = false;
  private isClosed = false;

  constructor(private readonly options: DekSeedRotatorOptions) {}

  /** Polls the plug-in for the first time; never rejects. */
  async start(): Promise<void> {
    await this.poll();
  }

  /** Polls no more. */
  close(): void {
    this.isClosed = true;
    this.timer?.cancel();
  }

  /** The seed for new values. Throws {@link TransformError} when there is none or it has expired. */
  getUsableSeed(): DekSeed {
    const { confirmed } = this;
    const { clock } = this.options;
    if (confirmed === undefined) throw new TransformError('got unexpected nil transformer');
    if (clock.monotonic() < confirmed.validUntil) return confirmed;
    const at = `expired at ${formatTime(confirmed.expiresAt)} (current time is ${formatTime(clock.now())})`;
    throw new TransformError(`encryptedDEKSource with keyID hash ${quotedHash(confirmed.source.keyId)} ${at}`);
  }

  /** The ID of the KEK that encrypted the current seed; undefined without a seed. */
  get keyId(): string | undefined {
    return this.confirmed?.source.keyId;
  }

  /** After a failure: shortens the time to the next poll. */
  pollSoon(): void {
    if (!this.isPollingSoon && !this.isClosed && this.polling === undefined) this.schedulePoll('unhealthy');
  }

  /** The error of the plug-in; undefined when it is healthy. */
  async health(): Promise<string | undefined> {
    const { lastPoll } = this;
    const age = lastPoll === undefined ? Infinity : this.options.clock.monotonic() - lastPoll.at;
    if (lastPoll !== undefined && age < (lastPoll.error === undefined ? HEALTH_CACHE_MS.healthy : HEALTH_CACHE_MS.unhealthy))
      return lastPoll.error;
    const { error, hasCallFailed } = await this.poll();
    if (error === undefined || !hasCallFailed) return error;
    return `failed to perform status section of the healthz check for KMS Provider ${this.options.name}, error: ${error}`;
  }

  /** Concurrent callers share one poll; the next one is scheduled when it ends. */
  private poll(): Promise<PollResult> {
    this.polling ??= this.runPoll().finally(() => (this.polling = undefined));
    return this.polling;
  }

  private async runPoll(): Promise<PollResult> {
    const { clock, onPolled } = this.options;
    this.timer?.cancel();
    const { error, hasCallFailed, keyId } = await this.readStatus();
    const poll = { at: clock.monotonic(), error, hasCallFailed };
    if (this.isClosed) return poll;
    this.lastPoll = poll;
    onPolled({ keyId, error });
    this.schedulePoll(error === undefined ? 'healthy' : 'unhealthy');
    return poll;
  }

  private schedulePoll(interval: keyof typeof POLL_INTERVAL_MS): void {
    this.timer?.cancel();
    this.isPollingSoon = interval === 'unhealthy';
    this.timer = this.options.clock.after(POLL_INTERVAL_MS[interval], () => void this.poll());
  }

  private async readStatus(): Promise<Omit<PollResult, 'at'> & { readonly keyId: string | undefined }> {
    let status: KmsStatus;
    try {
      status = await this.options.service.status();
    } catch (error) {
      return { error: errorMessage(error), hasCallFailed: true, keyId: undefined };
    }
    const invalidId = keyIdError(status.keyId);
    if (invalidId !== undefined) this.options.onInvalidKeyId(invalidId.reason);
    const rotationError = invalidId === undefined ? await this.confirmOrRotate(status.keyId) : invalidKeyId(status.keyId, invalidId.text);
    const errors = [...healthErrors(status), ...(rotationError === undefined ? [] : [rotationError])];
    const message = errors.length > 1 ? `[${errors.join(', ')}]` : errors[0];
    return {
      error: message === undefined ? undefined : `kmsv2 Provider ${this.options.name} is not healthy, error: ${message}`,
      hasCallFailed: false,
      keyId: invalidId === undefined ? status.keyId : undefined,
    };
  }

  /** Confirms the current seed, or rotates it when the key ID has changed. Returns the error when rotation failed. */
  private async confirmOrRotate(keyId: string): Promise<string | undefined> {
    const { clock } = this.options;
    // The validity counts from the report of the key ID, not from the end of the encryption.
    const validity = { validUntil: clock.monotonic() + SEED_VALIDITY_MS, expiresAt: clock.now() + SEED_VALIDITY_MS };
    if (this.confirmed?.source.keyId !== keyId) return this.rotate(keyId, validity);
    this.confirmed = { ...this.confirmed, ...validity };
    return undefined;
  }

  /** Replaces the seed by a new one that the plug-in encrypts with the key `keyId`. Returns the error when it failed. */
  private async rotate(keyId: string, validity: SeedValidity): Promise<string | undefined> {
    const { uuid, newSeed, createCipher, onRotated } = this.options;
    const uid = uuid();
    const seed = newSeed();
    const { source, error } = await this.encryptSeed(seed, uid);
    // Another key ID: the plug-in changed its key since it reported the status. The next poll rotates again.
    if (source?.keyId !== keyId) return this.rotationError({ uid, statusKeyId: keyId, encryptKeyId: source?.keyId ?? '', error });
    if (this.isClosed) return undefined;
    const cipher = createCipher(seed);
    this.confirmed = { source, cipher, ...validity };
    onRotated({ source, cipher });
    return undefined;
  }

  /** Encrypts the seed with the plug-in and checks the response. Never rejects: a failure is the `error` of the result. */
  private async encryptSeed(seed: Buffer, uid: string): Promise<{ readonly source?: EncryptedDekSource; readonly error?: string }> {
    let source: EncryptedDekSource;
    try {
      source = await this.options.service.encrypt(seed, uid);
    } catch (error) {
      return { error: `failed to encrypt DEK, error: ${errorMessage(error)}` };
    }
    try {
      checkDekSource(source);
      return { source };
    } catch (error) {
      return { error: errorMessage(error) };
    }
  }

  /** Upstream's message; its labels are the names of upstream's variables. */
  private rotationError(attempt: RotationAttempt): string {
    const { confirmed } = this;
    const errState = confirmed === undefined ? 'got unexpected nil transformer' : '<nil>';
    const expiration = confirmed === undefined ? '0001-01-01T00:00:00Z' : formatTime(confirmed.expiresAt);
    return (
      `failed to rotate DEK uid="${attempt.uid}", useSeed=true, errState=${errState}, errGen=${attempt.error ?? '<nil>'}, ` +
      `statusKeyIDHash=${quotedHash(attempt.statusKeyId)}, encryptKeyIDHash=${quotedHash(attempt.encryptKeyId)}, ` +
      `stateKeyIDHash=${quotedHash(confirmed?.source.keyId ?? '')}, expirationTimestamp=${expiration}`
    );
  }
}

function healthErrors({ healthz, version }: KmsStatus): readonly string[] {
  const errors: string[] = [];
  if (healthz !== 'ok') errors.push(`got unexpected healthz status: ${healthz}`);
  if (!SUPPORTED_VERSIONS.includes(version)) errors.push(`expected KMSv2 API version v2, got ${version}`);
  return errors;
}

const invalidKeyId = (keyId: string, text: string): string => `got invalid KMSv2 KeyID hash ${quotedHash(keyId)}: ${text}`;

/** Key IDs are confidential: logs, metrics and messages show their hashes. */
export const hashKeyId = (keyId: string): string => (keyId === '' ? '' : `sha256:${createHash('sha256').update(keyId).digest('hex')}`);

const quotedHash = (keyId: string): string => `"${hashKeyId(keyId)}"`;

/** With a resolution of seconds, as upstream. */
const formatTime = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
