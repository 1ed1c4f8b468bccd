/**
 * Issues certificates of a test's own authority and writes them as files. A certificate is valid now, or has expired, or is
 * not yet valid; no other defects are produced.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../../shared/runtime/clock';
import { createAuthority, issueCertificate, type CertificateUsage, type Credential } from '../../../shared/pki/certificates';
import { ManualClock } from '../clock/manual-clock';

const HOUR_MS = 3_600_000;

export type CertificateValidity = 'valid' | 'expired' | 'not yet valid';

const ISSUE_OFFSET_MS: Readonly<Record<CertificateValidity, number>> = {
  valid: 0,
  expired: -24 * HOUR_MS,
  'not yet valid': 24 * HOUR_MS,
};

/** The paths of a certificate and its private key, both PEM. */
export interface PairFiles {
  readonly cert: string;
  readonly key: string;
}

/** An authority that has been valid for two days, so that its certificates may have expired. */
export const makeAuthority = (commonName: string): Promise<Credential> =>
  createAuthority({ subject: { commonName }, lifetimeMs: 1_000 * HOUR_MS, clock: new ManualClock(systemClock.now() - 48 * HOUR_MS) });

/** A certificate for an hour, for 127.0.0.1 and localhost unless `names` are given. The common name is the usage by default. */
export function makePair(
  authority: Credential,
  usage: CertificateUsage,
  options: { readonly validity?: CertificateValidity; readonly names?: readonly string[]; readonly commonName?: string } = {},
): Promise<Credential> {
  const { validity = 'valid', names = ['127.0.0.1', 'localhost'], commonName = usage } = options;
  const clock = new ManualClock(systemClock.now() + ISSUE_OFFSET_MS[validity]);
  return issueCertificate({ authority, usage, subject: { commonName }, names, lifetimeMs: HOUR_MS, clock });
}

/** Writes each file whole, the certificate first. */
export function savePair({ cert, key }: PairFiles, { certificate, key: privateKey }: Credential): void {
  writeFileSync(cert, certificate);
  writeFileSync(key, privateKey, { mode: 0o600 });
}

export const pairPaths = (folder: string, name: string): PairFiles => ({
  cert: path.join(folder, `${name}.crt`),
  key: path.join(folder, `${name}.key`),
});
