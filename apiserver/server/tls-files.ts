/** Certificate, key and client authorities from files: read at the start, watched for renewal, or made for a server that is given none. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBundle } from '../../shared/runtime/certificate-bundle';
import type { Clock } from '../../shared/runtime/clock';
import { watchFiles } from '../../shared/runtime/file-watch';
import type { Logger } from '../../shared/runtime/logger';
import { covers, createAuthority, issueCertificate, needsRenewal } from '../../shared/runtime/pki';
import type { TlsFiles } from './listeners';

export interface TlsPaths {
  /** '' = none. */
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string;
  readonly proxyCa: string;
}

/** Where a server's certificate comes from: its file, or where that is '' the server makes one for `names` and keeps it in `folder`. */
export interface TlsSource {
  readonly paths: TlsPaths;
  readonly folder: string;
  readonly names: readonly string[];
}

export async function readTls({ paths, folder, names }: TlsSource, clock: Clock): Promise<TlsFiles> {
  const own = paths.cert === '' ? await selfSigned(folder, names, clock) : readPair(paths);
  return {
    ...own,
    ...(paths.clientCa === '' ? {} : { clientCa: readBundle(paths.clientCa) }),
    ...(paths.proxyCa === '' ? {} : { proxyCa: readBundle(paths.proxyCa) }),
  };
}

interface Pair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

const readPair = ({ cert, key }: Pick<TlsPaths, 'cert' | 'key'>): Pair => ({ cert: readFileSync(cert), key: readFileSync(key) });

/** Calls `renew` when a file has changed and can be read, and when a certificate of the server's own making grows old. Returns what stops the watch. */
export function watchTls(source: TlsSource, present: TlsFiles, clock: Clock, logger: Logger, renew: (files: TlsFiles) => void): () => void {
  const { cert, key, clientCa, proxyCa } = source.paths;
  let ours = present.cert;
  return watchFiles({
    paths: [cert, key, clientCa, proxyCa].filter((path) => path !== ''),
    clock,
    due: () => cert === '' && needsRenewal(ours.toString(), clock),
    async changed() {
      try {
        const read = await readTls(source, clock);
        renew(read);
        ours = read.cert;
        logger.info('certificates renewed', { file: cert, clientCa });
      } catch (error) {
        logger.error('the changed certificates cannot be used', { file: cert, clientCa, error });
      }
    },
  });
}

const YEAR_MS = 365 * 24 * 3_600_000;

/** A certificate of the server's own making, kept in `folder` unless that is ''. */
async function selfSigned(folder: string, names: readonly string[], clock: Clock): Promise<Pair> {
  const paths = { cert: join(folder, 'apiserver.crt'), key: join(folder, 'apiserver.key') };
  if (folder !== '' && existsSync(paths.cert) && existsSync(paths.key)) {
    const kept = readPair(paths);
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
