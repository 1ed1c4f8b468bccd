/**
 * A KMS envelope on a manual clock, with a plug-in that responds as the tests require, and values as other servers
 * write them.
 */
import { createHmac } from 'node:crypto';
import { createAesGcmCipher, TransformError } from '../../../apiserver/storage/encryption/ciphers';
import { KmsEnvelope } from '../../../apiserver/storage/encryption/kms/kms-envelope';
import type { EncryptedDekSource, KmsService, KmsStatus } from '../../../apiserver/storage/encryption/kms/kms-service';
import { systemRandom, systemRandomBytes } from '../../../shared/runtime/random';
import { ManualClock } from '../clock/manual-clock';
import { encodeMessage, maskSecret } from '../servers/kms-plugin';

export const STORAGE_KEY = '/registry/secrets/default/s';

/** A KMS plug-in with responses set by the tests. */
class FakeService implements KmsService {
  nextStatus: KmsStatus | Error = { version: 'v2', healthz: 'ok', keyId: 'k1' };
  annotations: ReadonlyMap<string, Buffer> = new Map([['ver.kms.test', Buffer.from('1')]]);
  /** Replaces the response to an encryption; it receives the usual one. */
  encryptHook: ((usual: EncryptedDekSource) => EncryptedDekSource) | undefined;
  /** Replaces the response to a decryption. */
  decryptHook: ((source: EncryptedDekSource) => Buffer) | undefined;
  /** The names of the called methods, in order. */
  readonly calls: string[] = [];
  isClosed = false;

  async status(): Promise<KmsStatus> {
    this.calls.push('status');
    if (this.nextStatus instanceof Error) throw this.nextStatus;
    return this.nextStatus;
  }

  async encrypt(plain: Buffer): Promise<EncryptedDekSource> {
    this.calls.push('encrypt');
    const keyId = this.nextStatus instanceof Error ? '' : this.nextStatus.keyId;
    const usual = { ciphertext: maskSecret(plain), keyId, annotations: this.annotations };
    return this.encryptHook?.(usual) ?? usual;
  }

  async decrypt(source: EncryptedDekSource): Promise<Buffer> {
    this.calls.push('decrypt');
    return this.decryptHook?.(source) ?? maskSecret(source.ciphertext);
  }

  close(): void {
    this.isClosed = true;
  }

  count(call: string): number {
    return this.calls.filter((name) => name === call).length;
  }
}

export interface KmsFixture {
  readonly service: FakeService;
  readonly clock: ManualClock;
  readonly envelope: KmsEnvelope;
  /** The error of each failed health check, and `undefined` when checks succeed again. */
  readonly healthChanges: (string | undefined)[];
  /** The sizes of the DEK cache that the envelope has reported. */
  readonly sizes: number[];
  /** Misses of the DEK cache, recoveries, and replaced seeds. */
  readonly counts: Record<'missed' | 'recovered' | 'replaced', number>;
  /** Why key ids were invalid. */
  readonly invalidKeyIds: string[];
}

/** Starts the envelope after `configure` has set the first responses. */
export async function startEnvelope(configure: (service: FakeService) => void = () => undefined): Promise<KmsFixture> {
  const service = new FakeService();
  configure(service);
  const clock = new ManualClock();
  const healthChanges: (string | undefined)[] = [];
  const sizes: number[] = [];
  const invalidKeyIds: string[] = [];
  const counts = { missed: 0, recovered: 0, replaced: 0 };
  const envelope = new KmsEnvelope({
    name: 'NAME',
    service,
    clock,
    random: systemRandomBytes,
    uuid: () => systemRandom.uuid(),
    metrics: {
      recordKeyUse: () => undefined,
      recordStatusKeyId: () => undefined,
      recordInvalidKeyId: (reason) => void invalidKeyIds.push(reason),
      recordCacheMiss: () => void (counts.missed += 1),
      setCacheSize: (size) => void sizes.push(size),
      observeSeedGeneration: () => undefined,
    },
    onHealthChange: (problem) => void healthChanges.push(problem),
    onSeedRotated: () => void (counts.replaced += 1),
    onRecovered: () => void (counts.recovered += 1),
  });
  await envelope.start();
  return { service, clock, envelope, healthChanges, sizes, counts, invalidKeyIds };
}

/** Decrypts as the store does: fetches the DEK first if necessary. */
export async function decryptValue(
  envelope: KmsEnvelope,
  ciphertext: Buffer,
  storageKey = STORAGE_KEY,
): Promise<{ readonly value: string; readonly isStale: boolean }> {
  await envelope.prepare(ciphertext);
  const { value, isStale } = envelope.decrypt(ciphertext, storageKey);
  return { value: value.toString(), isStale };
}

/**
 * A value as another server would have written it at the key, with its own seed. `members` replace members of the stored
 * message.
 */
export function encryptedByOtherServer(
  seed: Buffer,
  members: Readonly<Record<string, unknown>> = {},
  plain = 'other',
  storageKey = STORAGE_KEY,
): Buffer {
  const info = systemRandomBytes(32);
  // The first block of HKDF-Expand (RFC 5869) with SHA-256.
  const key = createHmac('sha256', seed)
    .update(info)
    .update(Buffer.from([1]))
    .digest();
  return encodeMessage('EncryptedObject', {
    encryptedData: Buffer.concat([info, createAesGcmCipher(key, systemRandomBytes).encrypt(Buffer.from(plain), storageKey)]),
    keyID: 'k1',
    encryptedDEKSource: maskSecret(seed),
    annotations: { 'ver.kms.test': Buffer.from('1') },
    encryptedDEKSourceType: 1,
    ...members,
  });
}

/** The message of the TransformError that `work` throws; 'nothing' when it throws none. Rethrows other errors. */
export const errorOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof TransformError) return error.message;
    throw error;
  }
  return 'nothing';
};
