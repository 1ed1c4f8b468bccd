/**
 * A folder of certificates and keys: creates missing ones, keeps valid ones, and replaces end certificates that expire,
 * match neither their key nor the authority, or do not cover the required names. An authority that expires keeps its key,
 * so certificates that it signed before stay valid. An authority that does not match its key is refused, not replaced.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../shared/runtime/clock';
import { errorMessage } from '../../shared/runtime/error-message';
import { readFileIfExists } from '../../shared/runtime/files/read-file-if-exists';
import {
  isIssuedBy,
  coversNames,
  createAuthority,
  createSigningKeyPair,
  issueCertificate,
  needsRenewal,
  publicKeyOf,
  renewAuthority,
  type CertificateUsage,
  type Credential,
  type CertificateSubject,
} from '../../shared/pki/certificates';
import { signingAlgorithmOf } from '../../shared/pki/signing-algorithm';
import { writeFileAtomically } from './files';

/** A certificate authority: `<file>.crt` and `<file>.key`. */
export interface Authority {
  readonly file: string;
  /** The description in messages: `the certificate authority of etcd`. */
  readonly label: string;
  readonly commonName: string;
}

/** An end certificate: `<file>.crt` and `<file>.key`. */
export interface Leaf {
  readonly file: string;
  /** The description in messages: `the certificate of the administrator`. */
  readonly label: string;
  readonly usage: CertificateUsage;
  readonly subject: CertificateSubject;
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
}

const DAY_MS = 86_400_000;
const AUTHORITY_LIFETIME_MS = 3_650 * DAY_MS;
const LEAF_LIFETIME_MS = 365 * DAY_MS;

/** When files that exist are replaced. */
export interface RenewalPolicy {
  /** `always` replaces valid certificates too; an authority is replaced only when it expires. */
  readonly leaves: 'when-due' | 'always';
  /**
   * What becomes of an authority without a readable certificate. A running cluster must not get another one while its
   * files are being replaced. An authority with a readable certificate and another key is refused in both cases.
   */
  readonly unusableAuthority: 'create' | 'refuse';
}

/** Before a control plane starts. */
export const START_POLICY: RenewalPolicy = { leaves: 'when-due', unusableAuthority: 'create' };
/** While a control plane runs. */
export const RUNNING_POLICY: RenewalPolicy = { leaves: 'when-due', unusableAuthority: 'refuse' };

/** One folder. Keys are readable by their owner only. */
export class CredentialFolder {
  /** `onCreated` receives a description of each created file. Creates the folder. Throws file system errors. */
  constructor(
    readonly path: string,
    private readonly clock: Clock,
    private readonly onCreated: (label: string) => void,
    private readonly policy: RenewalPolicy = START_POLICY,
  ) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }

  /**
   * The authority in the folder: created when there is none and the policy allows it, renewed with its key when it expires
   * soon. Rejects when its files do not match, and when its key cannot sign.
   */
  async authority({ file, label, commonName }: Authority): Promise<Credential> {
    const { clock } = this;
    const lifetimeMs = AUTHORITY_LIFETIME_MS;
    const present = this.usableAuthority(file);
    if (present !== undefined && !needsRenewal(present.certificate, clock)) return present;
    const fresh =
      present === undefined
        ? await createAuthority({ subject: { commonName }, lifetimeMs, clock })
        : await renewAuthority({ authority: present, lifetimeMs, clock });
    this.write(file, fresh);
    this.onCreated(label);
    return fresh;
  }

  /** The certificate in the folder, issued again when it is missing or not valid for these settings. */
  async leaf(authority: Credential, leaf: Leaf): Promise<Credential> {
    const present = this.read(leaf.file);
    return present !== undefined && this.isValid(present, authority, leaf) ? present : this.renew(authority, leaf);
  }

  /** Issues a certificate with a new key, also when the present one is valid. */
  async renew(authority: Credential, leaf: Leaf): Promise<Credential> {
    const { usage, subject, names } = leaf;
    const fresh = await issueCertificate({ authority, usage, subject, names, lifetimeMs: LEAF_LIFETIME_MS, clock: this.clock });
    this.write(leaf.file, fresh);
    this.onCreated(leaf.label);
    return fresh;
  }

  /**
   * `sa.key` and `sa.pub`, for service account tokens. They do not expire and are created once, because replacing them
   * invalidates all tokens.
   */
  async ensureSigningKeys(): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
    const privateKey = this.text('sa.key');
    const publicKey = this.text('sa.pub');
    if (privateKey !== undefined && publicKey !== undefined) return { privateKey, publicKey };
    const pair = privateKey === undefined ? await createSigningKeyPair() : { privateKey, publicKey: publicKeyOf(privateKey) };
    if (privateKey === undefined) this.writeIfChanged('sa.key', pair.privateKey, 0o600);
    this.writeIfChanged('sa.pub', pair.publicKey, 0o644);
    this.onCreated(privateKey === undefined ? 'the token signing keys' : 'the public half of the token signing key');
    return pair;
  }

  /** Writes the file unless it has this content. */
  writeIfChanged(name: string, text: string, mode: number): void {
    if (this.text(name) !== text) writeFileAtomically(path.join(this.path, name), text, mode);
  }

  has(name: string): boolean {
    return this.text(name) !== undefined;
  }

  remove(name: string): void {
    rmSync(path.join(this.path, name), { force: true });
  }

  /**
   * `undefined` when a new authority is to be created: the policy allows it, and the folder has no readable certificate.
   * Throws when the folder has another authority that cannot be used.
   */
  private usableAuthority(file: string): Credential | undefined {
    const present = this.read(file);
    if (present !== undefined && isIssuedBy(present, present.certificate)) {
      this.assertSigningKey(file, present);
      return present;
    }
    const canCreate = this.policy.unusableAuthority === 'create';
    if (canCreate && !isCertificate(this.text(`${file}.crt`))) return undefined;
    const base = path.join(this.path, file);
    const remedy = canCreate ? '; put such a pair there, or neither' : '';
    throw new Error(`${base}.crt and ${base}.key have to be a self-signed certificate authority and its key${remedy}`);
  }

  private assertSigningKey(file: string, { key }: Credential): void {
    try {
      signingAlgorithmOf(createPrivateKey(key));
    } catch (error) {
      const base = path.join(this.path, file);
      throw new Error(`${base}.key: ${errorMessage(error)}; put such a key and its certificate (${base}.crt) there, or neither`, {
        cause: error,
      });
    }
  }

  private isValid(credential: Credential, authority: Credential, leaf: Leaf): boolean {
    return (
      this.policy.leaves === 'when-due' &&
      isIssuedBy(credential, authority.certificate) &&
      !needsRenewal(credential.certificate, this.clock) &&
      coversNames(credential.certificate, leaf.names)
    );
  }

  private read(name: string): Credential | undefined {
    const certificate = this.text(`${name}.crt`);
    const key = this.text(`${name}.key`);
    return certificate === undefined || key === undefined ? undefined : { certificate, key };
  }

  private write(name: string, credential: Credential): void {
    writeFileAtomically(path.join(this.path, `${name}.key`), credential.key, 0o600);
    writeFileAtomically(path.join(this.path, `${name}.crt`), credential.certificate, 0o644);
  }

  private text(name: string): string | undefined {
    return readFileIfExists(path.join(this.path, name))?.toString();
  }
}

function isCertificate(text: string | undefined): boolean {
  if (text === undefined) return false;
  try {
    return new X509Certificate(text).subject !== undefined;
  } catch {
    return false;
  }
}
