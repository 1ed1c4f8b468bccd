/**
 * Watches the files of the HTTPS listener for changes, renews a self-signed certificate before it expires, and logs
 * certificates in use that are not valid. Files that cannot be used are logged, and the previous ones stay in use.
 */
import { splitCertificatePems } from '../../../shared/pki/certificate-bundle';
import { needsRenewal, readCertificate, validityError } from '../../../shared/pki/certificates';
import type { Clock } from '../../../shared/runtime/clock';
import { watchFiles } from '../../../shared/runtime/files/file-watch';
import type { Logger } from '../../../shared/runtime/logger';
import type { TlsFiles } from '../connections/listeners';
import { readAuthorities, readOrCreatePair, type Pair, type TlsAuthorities, type TlsPaths, type TlsSource } from './tls-files';

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

/** The state of a watch: the files in use, and what has been logged about them. */
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
  const certError = cert === '' ? undefined : validityError(files.cert.toString(), now);
  const errors = [
    certError === undefined ? undefined : `${cert} ${certError}, clients reject this server: ${RENEW}`,
    authoritiesError(clientCa, files.clientCa, now),
    authoritiesError(proxyCa, files.proxyCa, now),
  ];
  return errors.filter((error) => error !== undefined);
}

/** `undefined` while at least one authority of the bundle is valid, and without a bundle. */
function authoritiesError(path: string, bundle: Buffer | undefined, now: number): string | undefined {
  const pems = splitCertificatePems(bundle?.toString('latin1') ?? '');
  if (pems.length === 0 || pems.some((pem) => validityError(pem, now) === undefined)) return undefined;
  const consequence = 'all client certificates are rejected';
  return `no certificate authority in ${path} is valid now, so ${consequence}: replace them; the file is reloaded without a restart`;
}
