/** The certificates with which a process serves its health and metrics: from files, read again when they change, or made for its lifetime. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { readBundle } from '../../shared/pki/certificate-bundle';
import type { Clock } from '../../shared/runtime/clock';
import { watchFiles } from '../../shared/runtime/files/file-watch';
import type { Logger } from '../../shared/runtime/logger';
import { createAuthority, issueCertificate, needsRenewal, type Credential } from '../../shared/pki/certificates';

export interface ServingFiles extends Credential {
  /** PEM. Who vouches for clients; undefined = certificates of clients are not asked for. */
  readonly clientAuthorities: string | undefined;
}

/** '' = none. */
export interface ServingPaths {
  readonly certificate: string;
  readonly key: string;
  readonly clientAuthorities: string;
}

const LIFETIME_MS = 365 * 86_400_000;

/** Throws what the file system says, and where a bundle holds no certificate. */
export async function readServingFiles(paths: ServingPaths, clock: Clock): Promise<ServingFiles> {
  const pair = paths.certificate === '' ? await selfMade(clock) : fromFiles(paths);
  return { ...pair, clientAuthorities: paths.clientAuthorities === '' ? undefined : readBundle(paths.clientAuthorities).toString('utf8') };
}

/** Returns what ends the watch. What cannot be read leaves everything as it is. */
export function watchServingFiles(
  paths: ServingPaths,
  present: ServingFiles,
  clock: Clock,
  logger: Logger,
  renew: (files: ServingFiles) => void,
): () => void {
  let { certificate } = present;
  return watchFiles({
    paths: Object.values(paths).filter((path) => path !== ''),
    clock,
    due: () => paths.certificate === '' && needsRenewal(certificate, clock),
    async changed() {
      try {
        const read = await readServingFiles(paths, clock);
        renew(read);
        ({ certificate } = read);
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

async function selfMade(clock: Clock): Promise<Credential> {
  const authority = await createAuthority({ subject: { commonName: 'controllers-ca' }, lifetimeMs: LIFETIME_MS, clock });
  const names = ['localhost', '127.0.0.1', '::1', hostname()];
  return issueCertificate({ authority, usage: 'server', subject: { commonName: 'controllers' }, names, lifetimeMs: LIFETIME_MS, clock });
}
