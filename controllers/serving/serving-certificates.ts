/**
 * The certificates of the server for health and metrics: from files, which are reloaded when they change, or one from an
 * authority of the process' own, which is issued again before it expires.
 */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { readCertificateBundle } from '../../shared/pki/certificate-bundle';
import type { Clock } from '../../shared/runtime/clock';
import { watchFiles } from '../../shared/runtime/files/file-watch';
import type { Logger } from '../../shared/runtime/logger';
import { createAuthority, issueCertificate, needsRenewal, type Credential } from '../../shared/pki/certificates';

/** The certificate and key of the server (PEM), and the authorities that it trusts. */
export interface ServingCertificates extends Credential {
  /** PEM. Authorities of client certificates; undefined: no client certificates are requested. */
  readonly clientAuthorities: string | undefined;
}

/** Paths of files; '' for none. */
export interface ServingPaths {
  readonly certificate: string;
  readonly key: string;
  readonly clientAuthorities: string;
}

/** The lifetime of a certificate that is issued because no file has one: a year. */
const LIFETIME_MS = 365 * 86_400_000;

/**
 * Reads the files, or issues a certificate when there is no file. Rejects with file system errors, and for a bundle
 * without a certificate.
 */
export async function readServingCertificates(paths: ServingPaths, clock: Clock): Promise<ServingCertificates> {
  const pair = paths.certificate === '' ? await selfSigned(clock) : fromFiles(paths);
  return {
    ...pair,
    clientAuthorities: paths.clientAuthorities === '' ? undefined : readCertificateBundle(paths.clientAuthorities).toString('utf8'),
  };
}

/** The files to watch, and what to do with their changes. */
export interface ServingCertificateWatch {
  readonly paths: ServingPaths;
  /** The certificates that are in use. */
  readonly current: ServingCertificates;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with the certificates to use from now on. */
  readonly renew: (certificates: ServingCertificates) => void;
}

/**
 * Reloads changed files, and issues a certificate of the process' own again before it expires. Files that cannot be used
 * change nothing: the error is logged. Returns a function that ends the watch.
 */
export function watchServingCertificates({ paths, current, clock, logger, renew }: ServingCertificateWatch): () => void {
  let { certificate } = current;
  return watchFiles({
    paths: Object.values(paths).filter((path) => path !== ''),
    clock,
    isReloadDue: () => paths.certificate === '' && needsRenewal(certificate, clock),
    async onChange() {
      try {
        const renewed = await readServingCertificates(paths, clock);
        renew(renewed);
        ({ certificate } = renewed);
        logger.info('certificates renewed', { file: paths.certificate });
      } catch (error) {
        logger.error('the changed certificates cannot be used', { file: paths.certificate, error });
      }
    },
  });
}

const fromFiles = ({ certificate, key }: ServingPaths): Credential => ({
  certificate: readFileSync(certificate, 'utf8'),
  key: readFileSync(key, 'utf8'),
});

async function selfSigned(clock: Clock): Promise<Credential> {
  const authority = await createAuthority({ subject: { commonName: 'controllers-ca' }, lifetimeMs: LIFETIME_MS, clock });
  const names = ['localhost', '127.0.0.1', '::1', hostname()];
  return issueCertificate({ authority, usage: 'server', subject: { commonName: 'controllers' }, names, lifetimeMs: LIFETIME_MS, clock });
}
