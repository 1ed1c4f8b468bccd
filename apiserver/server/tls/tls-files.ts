/** Certificate, key and client authorities from files: read at the start, watched for renewal, or made for a server that is given none. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { pemsIn, readBundle } from '../../../shared/pki/certificate-bundle';
import type { Clock } from '../../../shared/runtime/clock';
import { errorMessage } from '../../../shared/runtime/error-message';
import { watchFiles } from '../../../shared/runtime/files/file-watch';
import type { Logger } from '../../../shared/runtime/logger';
import { covers, createAuthority, issueCertificate, lifeFault, needsRenewal, readCertificate } from '../../../shared/pki/certificates';
import type { TlsFiles } from '../connections/listeners';

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

/**
 * The source, and where somebody else has put a pair into its folder, with that pair as its files: it is taken as upstream's server takes one,
 * and never replaced. Throws where half of a pair lies there.
 */
export function withFoundPair(source: TlsSource): TlsSource {
  const { paths, folder } = source;
  if (paths.cert !== '' || folder === '') return source;
  const { cert, key } = pairPaths(folder);
  const found = [cert, key].filter((file) => existsSync(file));
  if (found.length === 0 || isOwn(cert)) return source;
  if (found.length === 1) throw new Error(`${folder} holds ${found.join()} alone: put a certificate and its key there, or neither`);
  return { ...source, paths: { ...paths, cert, key } };
}

export async function readTls(source: TlsSource, clock: Clock): Promise<TlsFiles> {
  return { ...(await ownPair(source, clock)), ...readAuthorities(source.paths) };
}

interface Pair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

type TlsAuthorities = Omit<TlsFiles, keyof Pair>;

const ownPair = async ({ paths, folder, names }: TlsSource, clock: Clock): Promise<Pair> =>
  paths.cert === '' ? selfSigned(folder, names, clock) : readPair(paths);

/** Throws where they do not belong together. */
function readPair({ cert, key }: Pick<TlsPaths, 'cert' | 'key'>): Pair {
  const pair = { cert: readFileSync(cert), key: readFileSync(key) };
  try {
    createSecureContext(pair);
    readCertificate(pair.cert.toString('latin1'));
  } catch (cause) {
    const remedy = 'they have to be a certificate and the key that it was made for, both as PEM';
    throw new Error(`${cert} and ${key} cannot be used together (${errorMessage(cause)}): ${remedy}`, { cause });
  }
  return pair;
}

const readAuthorities = ({ clientCa, proxyCa }: TlsPaths): TlsAuthorities => ({
  ...(clientCa === '' ? {} : { clientCa: readBundle(clientCa) }),
  ...(proxyCa === '' ? {} : { proxyCa: readBundle(proxyCa) }),
});

/** Calls `renew` when a file has changed and can be read, and when a certificate of the server's own making grows old. Returns what stops the watch. */
export function watchTls(source: TlsSource, present: TlsFiles, clock: Clock, logger: Logger, renew: (files: TlsFiles) => void): () => void {
  const watched = new WatchedTls(source, present, clock, logger, renew);
  watched.tellTimes();
  return watchFiles({
    paths: Object.values(source.paths).filter((path) => path !== ''),
    clock,
    due: () => watched.due(),
    changed: () => watched.read(),
  });
}

class WatchedTls {
  private pair: Pair;
  private authorities: TlsAuthorities;
  /** When a certificate that was left out because its time had not come is looked at again. */
  private comesAt = Number.POSITIVE_INFINITY;
  private told: readonly string[] = [];

  constructor(
    private readonly source: TlsSource,
    { cert, key, ...authorities }: TlsFiles,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly renew: (files: TlsFiles) => void,
  ) {
    this.pair = { cert, key };
    this.authorities = authorities;
  }

  /** Says, once, what has run out while it is in use. */
  tellTimes(): void {
    const faults = timeFaults(this.source.paths, { ...this.pair, ...this.authorities }, this.clock.now());
    for (const fault of faults) if (!this.told.includes(fault)) this.logger.error(fault);
    this.told = faults;
  }

  due(): boolean {
    this.tellTimes();
    const isOld = this.source.paths.cert === '' && needsRenewal(this.pair.cert.toString(), this.clock);
    return isOld || this.clock.now() >= this.comesAt;
  }

  async read(): Promise<void> {
    const { cert, key, clientCa, proxyCa } = this.source.paths;
    const pair = await this.taken({ file: cert, key }, () => this.nextPair(), this.pair);
    const authorities = await this.taken({ clientCa, proxyCa }, () => readAuthorities(this.source.paths), this.authorities);
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
    this.tellTimes();
  }

  private async taken<T>(files: Readonly<Record<string, string>>, read: () => T | Promise<T>, kept: T): Promise<T> {
    try {
      return await read();
    } catch (error) {
      this.logger.error(UNUSABLE, { ...files, error });
      return kept;
    }
  }

  /** One whose time is over, or has not come, does not take the place of one that clients take. */
  private async nextPair(): Promise<Pair> {
    const { source, clock } = this;
    this.comesAt = Number.POSITIVE_INFINITY;
    const pair = await ownPair(source, clock);
    const pem = pair.cert.toString();
    const fault = lifeFault(pem, clock.now());
    if (fault === undefined || lifeFault(this.pair.cert.toString(), clock.now()) !== undefined) return pair;
    const { notBefore } = readCertificate(pem);
    if (notBefore > clock.now()) this.comesAt = notBefore;
    throw new Error(`${source.paths.cert} ${fault}: ${RENEW}`);
  }
}

const isSame = (one: TlsFiles, other: TlsFiles): boolean =>
  (['cert', 'key', 'clientCa', 'proxyCa'] as const).every((name) => one[name]?.toString() === other[name]?.toString());

const UNUSABLE = 'the changed certificates cannot be used, those before stay in use';
const RENEW =
  "put a certificate there whose time has come, with its key, and see that this machine's clock is right; both are read while the server runs";

/** What of that which is in use is out of its time, in words that say what to do. */
function timeFaults({ cert, clientCa, proxyCa }: TlsPaths, files: TlsFiles, now: number): readonly string[] {
  const own = cert === '' ? undefined : lifeFault(files.cert.toString(), now);
  const bundles = [
    [clientCa, files.clientCa],
    [proxyCa, files.proxyCa],
  ] as const;
  return [
    ...(own === undefined ? [] : [`${cert} ${own}, clients refuse this server: ${RENEW}`]),
    ...bundles.flatMap(([path, bundle]) => {
      const pems = pemsIn(bundle?.toString('latin1') ?? '');
      if (pems.length === 0 || pems.some((pem) => lifeFault(pem, now) === undefined)) return [];
      return [
        `all certificates of ${path} are out of their time, nobody is let in by them: replace them; they are read while the server runs`,
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

function isOwn(cert: string): boolean {
  try {
    return readCertificate(readFileSync(cert, 'latin1')).issuer === OWN_AUTHORITY;
  } catch {
    return false;
  }
}

/** A certificate of the server's own making, kept in `folder` unless that is ''. */
async function selfSigned(folder: string, names: readonly string[], clock: Clock): Promise<Pair> {
  const kept = folder === '' ? undefined : keptPair(folder);
  if (kept !== undefined && !needsRenewal(kept.cert.toString(), clock) && covers(kept.cert.toString(), names)) return kept;
  const authority = await createAuthority({ subject: { commonName: OWN_AUTHORITY }, lifetimeMs: YEAR_MS, clock });
  const issued = await issueCertificate({
    subject: { commonName: 'apiserver' },
    lifetimeMs: YEAR_MS,
    clock,
    authority,
    usage: 'server',
    names,
  });
  const made = { cert: Buffer.from(issued.certificate + authority.certificate), key: Buffer.from(issued.key) };
  if (folder !== '') keepPair(folder, made);
  return made;
}

/** Undefined = there is none, or a server was ended between writing the one and the other. */
function keptPair(folder: string): Pair | undefined {
  try {
    return readPair(pairPaths(folder));
  } catch {
    return undefined;
  }
}

/** The certificate first, and whole: by it the next start knows whose the pair is. */
function keepPair(folder: string, pair: Pair): void {
  const paths = pairPaths(folder);
  mkdirSync(folder, { recursive: true });
  for (const half of ['cert', 'key'] as const) {
    writeFileSync(`${paths[half]}.new`, pair[half], { mode: half === 'key' ? 0o600 : 0o644 });
    renameSync(`${paths[half]}.new`, paths[half]);
  }
}
