/**
 * The authorities that sign CertificateSigningRequests, from the files that the flags name. The files are reloaded when
 * they change while they are watched. Keys are neither logged nor in messages.
 */
import { ConfigError, readConfigFile } from '../shared/client/kubeconfig/client-config';
import { parseSigningAuthority, type SigningAuthority } from '../shared/pki/certificate-authority';
import type { Clock } from '../shared/runtime/clock';
import { FileBackedValue } from '../shared/runtime/files/file-backed-value';
import type { Logger } from '../shared/runtime/logger';
import type { SignerName } from './certificates/signer-rules';
import type { ControllerFlags } from './flags';
import type { SigningAuthorities } from './runtime/controller';
import { errorMessage } from '../shared/runtime/error-message';

/** The signers with flags of their own, and the prefix of these flags. */
const SIGNER_FLAG_PREFIXES = [
  ['cluster-signing-kube-apiserver-client-', 'platform.io/kube-apiserver-client'],
  ['cluster-signing-kubelet-client-', 'platform.io/kube-apiserver-client-kubelet'],
  ['cluster-signing-kubelet-serving-', 'platform.io/kubelet-serving'],
  ['cluster-signing-legacy-unknown-', 'platform.io/legacy-unknown'],
] as const satisfies readonly (readonly [string, SignerName])[];
/** The signers that can have an authority. */
export const SIGNERS: readonly SignerName[] = SIGNER_FLAG_PREFIXES.map(([, signer]) => signer);
/** The prefix of the flags for all signers. They cannot be combined with the flags of single signers. */
const COMMON_PREFIX = 'cluster-signing-';

type FlagPrefix = typeof COMMON_PREFIX | (typeof SIGNER_FLAG_PREFIXES)[number][0];

/** Paths; '' when the flag is not set. */
interface FilePair {
  readonly certificate: string;
  readonly key: string;
}

const filesOf = (values: ControllerFlags, prefix: FlagPrefix): FilePair => ({
  certificate: values[`${prefix}cert-file`],
  key: values[`${prefix}key-file`],
});

/** Returns the error of flags that contradict each other; `undefined` when there is none. */
export function validateSigningFlags(values: ControllerFlags): string | undefined {
  const prefixes = SIGNER_FLAG_PREFIXES.map(([prefix]) => prefix);
  for (const prefix of [COMMON_PREFIX, ...prefixes] as const) {
    const { certificate, key } = filesOf(values, prefix);
    if ((certificate === '') !== (key === '')) return `--${prefix}cert-file and --${prefix}key-file must be set together`;
  }
  const given = prefixes.find((prefix) => filesOf(values, prefix).certificate !== '');
  if (given !== undefined && values['cluster-signing-cert-file'] !== '')
    return `--${given}cert-file cannot be used with --${COMMON_PREFIX}cert-file`;
  return undefined;
}

/**
 * The files of the flags, held as parsed authorities. When one file becomes invalid, all previous authorities stay in use.
 */
export class SigningFiles implements SigningAuthorities {
  /** By signer. Signers without files are left out. */
  private readonly pairs: ReadonlyMap<string, FilePair>;
  private readonly authorities: FileBackedValue<ReadonlyMap<string, SigningAuthority>>;

  /**
   * Throws {@link ConfigError} for a file that cannot be used. The message contains the name of the file and none of
   * its content.
   */
  constructor(values: ControllerFlags) {
    const common = filesOf(values, COMMON_PREFIX);
    const pairs = SIGNER_FLAG_PREFIXES.map(([prefix, signer]) => {
      const files = filesOf(values, prefix);
      return [signer, files.certificate === '' ? common : files] as const;
    });
    this.pairs = new Map(pairs.filter(([, { certificate }]) => certificate !== ''));
    const files = [...new Set([...this.pairs.values()].flatMap(({ certificate, key }) => [certificate, key]))];
    const read = (): ReadonlyMap<string, SigningAuthority> =>
      new Map([...this.pairs].map(([signer, pair]) => [signer, readAuthorityFiles(pair)]));
    this.authorities = new FileBackedValue('signing certificate authorities', () => ({ value: read(), files }));
  }

  get isEmpty(): boolean {
    return this.pairs.size === 0;
  }

  authorityOf(signer: string): SigningAuthority | undefined {
    return this.authorities.current().get(signer);
  }

  watch(clock: Clock, logger: Logger): () => void {
    return this.authorities.watch(clock, logger);
  }
}

function readAuthorityFiles({ certificate, key }: FilePair): SigningAuthority {
  const texts = [readConfigFile(certificate), readConfigFile(key)] as const;
  try {
    return parseSigningAuthority(...texts);
  } catch (error) {
    throw new ConfigError(`cannot sign with ${certificate} and ${key}: ${errorMessage(error)}`);
  }
}
