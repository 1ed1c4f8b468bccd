/** Certificates and keys as files, valid or not: issued by another authority, expired or not yet valid. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../../shared/runtime/clock';
import { createAuthority, issueCertificate, type CertificateUsage, type Credential } from '../../../shared/pki/certificates';
import { ManualClock } from '../clock/manual-clock';

const HOUR_MS = 3_600_000;

/** Whether a certificate is valid now, has expired, or is not yet valid. */
export type CertificateValidity = 'now' | 'over' | 'to come';

const ISSUE_OFFSET_MS: Readonly<Record<CertificateValidity, number>> = { now: 0, over: -24 * HOUR_MS, 'to come': 24 * HOUR_MS };

export interface PairFiles {
  readonly cert: string;
  readonly key: string;
}

export const makeAuthority = (commonName: string): Promise<Credential> =>
  createAuthority({ subject: { commonName }, lifetimeMs: 1_000 * HOUR_MS, clock: new ManualClock(systemClock.now() - 48 * HOUR_MS) });

/** Valid for 127.0.0.1 and localhost unless other names are given. */
export function makePair(
  authority: Credential,
  usage: CertificateUsage,
  options: { readonly when?: CertificateValidity; readonly names?: readonly string[]; readonly commonName?: string } = {},
): Promise<Credential> {
  const { when = 'now', names = ['127.0.0.1', 'localhost'], commonName = usage } = options;
  const clock = new ManualClock(systemClock.now() + ISSUE_OFFSET_MS[when]);
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
