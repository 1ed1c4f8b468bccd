/**
 * The certificate, key and client authorities of the HTTPS listener: read from files, or created for a server without a
 * configured certificate. Watching the files is left to tls-watch.ts.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { readCertificateBundle } from '../../../shared/pki/certificate-bundle';
import type { Clock } from '../../../shared/runtime/clock';
import { errorMessage } from '../../../shared/runtime/error-message';
import { coversNames, createAuthority, issueCertificate, needsRenewal, readCertificate } from '../../../shared/pki/certificates';
import type { TlsFiles } from '../connections/listeners';

/** Paths of PEM files; '' for none. */
export interface TlsPaths {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string;
  readonly proxyCa: string;
}

/**
 * The source of a server's certificate: `paths.cert`, or when that is '' a self-signed one for `names` that is stored
 * in `folder`.
 */
export interface TlsSource {
  readonly paths: TlsPaths;
  /** '' to keep the self-signed certificate in memory only. */
  readonly folder: string;
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
}

/**
 * Returns the source with the pair in its folder as its files, if the server did not create that pair itself:
 * upstream uses such a pair too, and it is never replaced. Throws when only half of a pair is there.
 */
export function useExistingPair(source: TlsSource): TlsSource {
  const { paths, folder } = source;
  if (paths.cert !== '' || folder === '') return source;
  const { cert, key } = pairPaths(folder);
  const existing = [cert, key].filter((file) => existsSync(file));
  if (existing.length === 0 || isSelfMade(cert)) return source;
  if (existing.length === 1) throw new Error(`${folder} contains only ${existing.join()}: put a certificate and its key there, or neither`);
  return { ...source, paths: { ...paths, cert, key } };
}

/** Reads the files of the source, or creates its self-signed certificate. Throws when a file cannot be used. */
export async function readTls(source: TlsSource, clock: Clock): Promise<TlsFiles> {
  return { ...(await readOrCreatePair(source, clock)), ...readAuthorities(source.paths) };
}

/** A certificate with its private key, in PEM. */
export interface Pair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** The authorities of client certificates, those of clients and those of front proxies. */
export type TlsAuthorities = Omit<TlsFiles, keyof Pair>;

/** Throws when the files of the pair cannot be used. */
export const readOrCreatePair = async ({ paths, folder, names }: TlsSource, clock: Clock): Promise<Pair> =>
  paths.cert === '' ? loadOrCreateSelfSigned(folder, names, clock) : readPair(paths);

/** Throws when a file holds no certificates. */
export const readAuthorities = ({ clientCa, proxyCa }: TlsPaths): TlsAuthorities => ({
  ...(clientCa === '' ? {} : { clientCa: readCertificateBundle(clientCa) }),
  ...(proxyCa === '' ? {} : { proxyCa: readCertificateBundle(proxyCa) }),
});

/** Throws when certificate and key do not match. */
function readPair({ cert, key }: Pick<TlsPaths, 'cert' | 'key'>): Pair {
  const pair = { cert: readFileSync(cert), key: readFileSync(key) };
  try {
    createSecureContext(pair);
    readCertificate(pair.cert.toString('latin1'));
  } catch (cause) {
    const remedy = 'they must be a certificate and its private key, both in PEM format';
    throw new Error(`${cert} and ${key} cannot be used together (${errorMessage(cause)}): ${remedy}`, { cause });
  }
  return pair;
}

const YEAR_MS = 365 * 24 * 3_600_000;
const OWN_AUTHORITY = 'apiserver-ca';

const pairPaths = (folder: string): Pick<TlsPaths, 'cert' | 'key'> => ({
  cert: join(folder, 'apiserver.crt'),
  key: join(folder, 'apiserver.key'),
});

/** Whether this server, or an earlier run of it, has created the certificate. `cert`: its path. */
function isSelfMade(cert: string): boolean {
  try {
    return readCertificate(readFileSync(cert, 'latin1')).issuer === OWN_AUTHORITY;
  } catch {
    return false;
  }
}

/** A self-signed pair, stored in `folder` unless that is ''. */
async function loadOrCreateSelfSigned(folder: string, names: readonly string[], clock: Clock): Promise<Pair> {
  const stored = folder === '' ? undefined : readStoredPair(folder);
  if (stored !== undefined && !needsRenewal(stored.cert.toString(), clock) && coversNames(stored.cert.toString(), names)) return stored;
  const authority = await createAuthority({ subject: { commonName: OWN_AUTHORITY }, lifetimeMs: YEAR_MS, clock });
  const issued = await issueCertificate({
    subject: { commonName: 'apiserver' },
    lifetimeMs: YEAR_MS,
    clock,
    authority,
    usage: 'server',
    names,
  });
  const pair = { cert: Buffer.from(issued.certificate + authority.certificate), key: Buffer.from(issued.key) };
  if (folder !== '') storePair(folder, pair);
  return pair;
}

/** `undefined` when there is none, or when the server was ended between the two writes. */
function readStoredPair(folder: string): Pair | undefined {
  try {
    return readPair(pairPaths(folder));
  } catch {
    return undefined;
  }
}

/**
 * Writes the certificate before the key, and each atomically: should the server be ended in between, the certificate shows
 * at the next start that the pair is the server's own and can be replaced.
 */
function storePair(folder: string, pair: Pair): void {
  const paths = pairPaths(folder);
  mkdirSync(folder, { recursive: true });
  for (const half of ['cert', 'key'] as const) {
    writeFileSync(`${paths[half]}.new`, pair[half], { mode: half === 'key' ? 0o600 : 0o644 });
    renameSync(`${paths[half]}.new`, paths[half]);
  }
}
