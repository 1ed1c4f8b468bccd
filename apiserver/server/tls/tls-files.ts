/**
 * TLS certificate, key and client authorities: read from files and watched for changes, or created for a server
 * without a configured certificate.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { splitCertificatePems, readCertificateBundle } from '../../../shared/pki/certificate-bundle';
import type { Clock } from '../../../shared/runtime/clock';
import { errorMessage } from '../../../shared/runtime/error-message';
import { watchFiles } from '../../../shared/runtime/files/file-watch';
import type { Logger } from '../../../shared/runtime/logger';
import {
  coversNames,
  createAuthority,
  issueCertificate,
  validityError,
  needsRenewal,
  readCertificate,
} from '../../../shared/pki/certificates';
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

interface Pair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

type TlsAuthorities = Omit<TlsFiles, keyof Pair>;

const readOrCreatePair = async ({ paths, folder, names }: TlsSource, clock: Clock): Promise<Pair> =>
  paths.cert === '' ? loadOrCreateSelfSigned(folder, names, clock) : readPair(paths);

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

const readAuthorities = ({ clientCa, proxyCa }: TlsPaths): TlsAuthorities => ({
  ...(clientCa === '' ? {} : { clientCa: readCertificateBundle(clientCa) }),
  ...(proxyCa === '' ? {} : { proxyCa: readCertificateBundle(proxyCa) }),
});

/** How a watch of TLS files reports. */
export interface TlsWatchDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Called with the files when a changed one is readable, and when a self-signed certificate was renewed. When it throws,
   * the previous files stay in use.
   */
  readonly renew: (files: TlsFiles) => void;
}

/** Watches the files of the source. `current`: the files in use. Returns a function that stops the watch. */
export function watchTls(source: TlsSource, current: TlsFiles, deps: TlsWatchDependencies): () => void {
  const { clock } = deps;
  const watched = new TlsWatcher(source, current, deps);
  watched.logExpired();
  return watchFiles({
    paths: Object.values(source.paths).filter((path) => path !== ''),
    clock,
    isReloadDue: () => watched.isDue(),
    onChange: () => watched.read(),
  });
}

const UNUSABLE = 'the changed certificates cannot be used, the previous ones stay in use';
const RENEW =
  'replace the certificate and its key with valid ones, and check the clock of this machine; both files are reloaded without a restart';

class TlsWatcher {
  private readonly clock: Clock;
  private readonly logger: Logger;
  private readonly renew: (files: TlsFiles) => void;
  private pair: Pair;
  private authorities: TlsAuthorities;
  /** When a certificate that is not valid yet is read again, in ms since 1970. */
  private recheckAt = Number.POSITIVE_INFINITY;
  private loggedErrors: readonly string[] = [];

  constructor(
    private readonly source: TlsSource,
    { cert, key, ...authorities }: TlsFiles,
    { clock, logger, renew }: TlsWatchDependencies,
  ) {
    this.pair = { cert, key };
    this.authorities = authorities;
    this.clock = clock;
    this.logger = logger;
    this.renew = renew;
  }

  /** Logs each certificate in use that has expired or is not valid yet; once, until it is valid again. */
  logExpired(): void {
    const errors = expiryErrors(this.source.paths, { ...this.pair, ...this.authorities }, this.clock.now());
    for (const error of errors) if (!this.loggedErrors.includes(error)) this.logger.error(error);
    this.loggedErrors = errors;
  }

  /** Whether the files must be read again although none has changed. */
  isDue(): boolean {
    this.logExpired();
    const isOld = this.source.paths.cert === '' && needsRenewal(this.pair.cert.toString(), this.clock);
    return isOld || this.clock.now() >= this.recheckAt;
  }

  /** Reads the files and passes the usable ones to `renew`. Unusable ones are logged, and the previous ones stay in use. */
  async read(): Promise<void> {
    const { cert, key, clientCa, proxyCa } = this.source.paths;
    const pair = await this.readOrKeep({ file: cert, key }, () => this.nextPair(), this.pair);
    const authorities = await this.readOrKeep({ clientCa, proxyCa }, () => readAuthorities(this.source.paths), this.authorities);
    const next = { ...pair, ...authorities };
    if (isSame(next, { ...this.pair, ...this.authorities })) return;
    try {
      this.renew(next);
    } catch (error) {
      this.logger.error(UNUSABLE, { file: cert, clientCa, error });
      return;
    }
    [this.pair, this.authorities] = [pair, authorities];
    this.logger.info('certificates renewed', { file: cert, clientCa });
    this.logExpired();
  }

  private async readOrKeep<T>(files: Readonly<Record<string, string>>, read: () => T | Promise<T>, current: T): Promise<T> {
    try {
      return await read();
    } catch (error) {
      this.logger.error(UNUSABLE, { ...files, error });
      return current;
    }
  }

  /** The pair to use next. Throws for one that is expired or not valid yet, unless that applies to the current pair too. */
  private async nextPair(): Promise<Pair> {
    const { source, clock } = this;
    this.recheckAt = Number.POSITIVE_INFINITY;
    const pair = await readOrCreatePair(source, clock);
    const pem = pair.cert.toString();
    const error = validityError(pem, clock.now());
    if (error === undefined || validityError(this.pair.cert.toString(), clock.now()) !== undefined) return pair;
    const { notBefore } = readCertificate(pem);
    if (notBefore > clock.now()) this.recheckAt = notBefore;
    throw new Error(`${source.paths.cert} ${error}: ${RENEW}`);
  }
}

const isSame = (a: TlsFiles, b: TlsFiles): boolean =>
  (['cert', 'key', 'clientCa', 'proxyCa'] as const).every((name) => a[name]?.toString() === b[name]?.toString());

/** Messages about certificates in use that are not valid now, with the remedy. */
function expiryErrors({ cert, clientCa, proxyCa }: TlsPaths, files: TlsFiles, now: number): readonly string[] {
  const ownError = cert === '' ? undefined : validityError(files.cert.toString(), now);
  const bundles = [
    [clientCa, files.clientCa],
    [proxyCa, files.proxyCa],
  ] as const;
  return [
    ...(ownError === undefined ? [] : [`${cert} ${ownError}, clients reject this server: ${RENEW}`]),
    ...bundles.flatMap(([path, bundle]) => {
      const pems = splitCertificatePems(bundle?.toString('latin1') ?? '');
      if (pems.length === 0 || pems.some((pem) => validityError(pem, now) === undefined)) return [];
      return [
        `no certificate authority in ${path} is valid now, so all client certificates are rejected: replace them; the file is reloaded without a restart`,
      ];
    }),
  ];
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
