/** Certificate, key and client authorities from files: read at the start, watched for renewal, or made for a server that is given none. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';
import { covers, createAuthority, issueCertificate, needsRenewal } from '../../shared/runtime/pki';
import type { TlsFiles } from './listeners';

export interface TlsPaths {
  /** '' = none. */
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string;
}

export function readTlsFiles(paths: TlsPaths): TlsFiles {
  return {
    cert: readFileSync(paths.cert),
    key: readFileSync(paths.key),
    ...(paths.clientCa === '' ? {} : { clientCa: readFileSync(paths.clientCa) }),
  };
}

const CHECK_MS = 10_000;

/** Calls `renew` when a file has changed and can be read. Returns what stops the watch. */
export function watchTlsFiles(paths: TlsPaths, clock: Clock, logger: Logger, renew: (files: TlsFiles) => void): () => void {
  const stamp = (): string => [paths.cert, paths.key, paths.clientCa].map((path) => (path === '' ? '' : modified(path))).join(' ');
  let seen = stamp();
  let timer: Timer;
  const check = (): void => {
    const now = stamp();
    if (now !== seen) {
      seen = now;
      try {
        renew(readTlsFiles(paths));
        logger.info('serving certificate renewed', { file: paths.cert });
      } catch (error) {
        logger.error('the changed serving certificate cannot be used', { file: paths.cert, error });
      }
    }
    timer = clock.after(CHECK_MS, check);
  };
  timer = clock.after(CHECK_MS, check);
  return () => timer.cancel();
}

function modified(path: string): string {
  try {
    return String(statSync(path).mtimeMs);
  } catch {
    return 'missing';
  }
}

const YEAR_MS = 365 * 24 * 3_600_000;

/** A certificate of the server's own making, kept in `folder` unless that is ''. */
export async function selfSigned(
  folder: string,
  names: readonly string[],
  clock: Clock,
): Promise<{ readonly cert: Buffer; readonly key: Buffer }> {
  const paths = { cert: join(folder, 'apiserver.crt'), key: join(folder, 'apiserver.key'), clientCa: '' };
  if (folder !== '' && modified(paths.cert) !== 'missing' && modified(paths.key) !== 'missing') {
    const kept = readTlsFiles(paths);
    const pem = kept.cert.toString();
    if (!needsRenewal(pem, clock) && covers(pem, names)) return kept;
  }
  const authority = await createAuthority({ subject: { commonName: 'apiserver-ca' }, lifetimeMs: YEAR_MS, clock });
  const issued = await issueCertificate({
    subject: { commonName: 'apiserver' },
    lifetimeMs: YEAR_MS,
    clock,
    authority,
    usage: 'server',
    names,
  });
  const made = { cert: Buffer.from(issued.certificate + authority.certificate), key: Buffer.from(issued.key) };
  if (folder !== '') {
    mkdirSync(folder, { recursive: true });
    writeFileSync(paths.cert, made.cert);
    writeFileSync(paths.key, made.key, { mode: 0o600 });
  }
  return made;
}
