/**
 * A service that keeps a key and lends its use, as upstream's API KMS version 2 describes it: what may be asked of it and how it fails. Knows neither the
 * way to it nor what is encrypted.
 */
import { TransformFault } from '../ciphers';

export interface KmsStatus {
  /** Of the API: `v2`. */
  readonly version: string;
  /** `ok`, or what is wrong. */
  readonly healthz: string;
  /** The key that encrypts at present. */
  readonly keyId: string;
}

/** What the service has encrypted, and what it wants to be told when it is to decrypt that. */
export interface KmsSealed {
  readonly ciphertext: Buffer;
  readonly keyId: string;
  readonly annotations: ReadonlyMap<string, Buffer>;
}

/** Each call ends after the time that is configured; what fails rejects with a {@link KmsFault}. `uid` tells calls apart in the service's log. */
export interface KmsService {
  status(): Promise<KmsStatus>;
  encrypt(plain: Buffer, uid: string): Promise<KmsSealed>;
  decrypt(sealed: KmsSealed, uid: string): Promise<Buffer>;
  /** Calls under way fail. */
  close(): void;
}

/** A call that failed. */
export class KmsFault extends TransformFault {
  /** @param code gRPC's name for what went wrong: `Unavailable`. */
  constructor(code: string, description: string) {
    super(`rpc error: code = ${code} desc = ${description}`, code);
  }
}
