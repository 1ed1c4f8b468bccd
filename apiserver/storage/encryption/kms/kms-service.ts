/**
 * The KMS v2 plug-in as upstream's API defines it: its calls and their errors. The transport is left to
 * grpc-service.ts.
 */
import { TransformError } from '../ciphers';

/** The plug-in's report about itself. */
export interface KmsStatus {
  /** Version of the API: `v2`. */
  readonly version: string;
  /** `ok`, or the error. */
  readonly healthz: string;
  /** ID of the KEK that encrypts at present. */
  readonly keyId: string;
}

/** A DEK source encrypted by the plug-in, with what the plug-in needs to decrypt it. */
export interface EncryptedDekSource {
  readonly ciphertext: Buffer;
  readonly keyId: string;
  readonly annotations: ReadonlyMap<string, Buffer>;
}

/**
 * Every call ends within the configured timeout and rejects with {@link KmsError}. `uid` identifies the call in the
 * plug-in's log.
 */
export interface KmsService {
  /** The version, health and key ID of the plug-in. */
  status(): Promise<KmsStatus>;
  /** Encrypts a DEK source with the current KEK. */
  encrypt(plaintext: Buffer, uid: string): Promise<EncryptedDekSource>;
  /** Decrypts a source with the KEK that encrypted it. Also rejects when the plug-in no longer has that KEK. */
  decrypt(source: EncryptedDekSource, uid: string): Promise<Buffer>;
  /** Pending calls are rejected. */
  close(): void;
}

/** The plug-in responded with an error, or not in time. */
export class KmsError extends TransformError {
  /** @param code name of the gRPC status, such as `Unavailable`. */
  constructor(code: string, description: string) {
    super(`rpc error: code = ${code} desc = ${description}`, code);
  }
}
