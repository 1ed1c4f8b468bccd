/** The authorities with which requests for certificates are signed: read from their files at the start, and again when they change. Keys are never told. */
import { ConfigError, readConfigFile } from '../shared/client/kubeconfig/client-config';
import { readAuthority, type SigningAuthority } from '../shared/pki/certificate-authority';
import type { Clock } from '../shared/runtime/clock';
import { FollowedFiles } from '../shared/runtime/files/followed-files';
import type { Logger } from '../shared/runtime/logger';
import type { SignerName } from './certificates/signer-rules';
import type { ControllerFlags } from './flags';
import type { Signers } from './runtime/controller';
import { errorMessage } from '../shared/runtime/error-message';

/** The signers that can have files of their own, by what their flags begin with. */
const OWN_FILES = [
  ['cluster-signing-kube-apiserver-client-', 'platform.io/kube-apiserver-client'],
  ['cluster-signing-kubelet-client-', 'platform.io/kube-apiserver-client-kubelet'],
  ['cluster-signing-kubelet-serving-', 'platform.io/kubelet-serving'],
  ['cluster-signing-legacy-unknown-', 'platform.io/legacy-unknown'],
] as const satisfies readonly (readonly [string, SignerName])[];
const COMMON = 'cluster-signing-';

type Beginning = typeof COMMON | (typeof OWN_FILES)[number][0];

interface FilePair {
  readonly certificate: string;
  readonly key: string;
}

const pairOf = (values: ControllerFlags, beginning: Beginning): FilePair => ({
  certificate: values[`${beginning}cert-file`],
  key: values[`${beginning}key-file`],
});

/** What is wrong with the files as they are named. */
export function signingProblem(values: ControllerFlags): string | undefined {
  const own = OWN_FILES.map(([beginning]) => beginning);
  for (const beginning of [COMMON, ...own] as const) {
    const { certificate, key } = pairOf(values, beginning);
    if ((certificate === '') !== (key === '')) return `--${beginning}cert-file and --${beginning}key-file belong together`;
  }
  const given = own.find((beginning) => pairOf(values, beginning).certificate !== '');
  if (given !== undefined && values['cluster-signing-cert-file'] !== '')
    return `--${given}cert-file cannot be used with --${COMMON}cert-file`;
  return undefined;
}

export class SigningFiles implements Signers {
  /** By signer; those without files sign nothing. */
  private readonly pairs: ReadonlyMap<string, FilePair>;
  private readonly authorities: FollowedFiles<ReadonlyMap<string, SigningAuthority>>;

  /** Throws {@link ConfigError} where a file cannot be used; the message names it and nothing that is in it. */
  constructor(values: ControllerFlags) {
    const common = pairOf(values, COMMON);
    const pairs = OWN_FILES.map(([beginning, signer]) => {
      const own = pairOf(values, beginning);
      return [signer, own.certificate === '' ? common : own] as const;
    });
    this.pairs = new Map(pairs.filter(([, { certificate }]) => certificate !== ''));
    const files = [...new Set([...this.pairs.values()].flatMap(({ certificate, key }) => [certificate, key]))];
    const read = (): ReadonlyMap<string, SigningAuthority> => new Map([...this.pairs].map(([signer, pair]) => [signer, authorityIn(pair)]));
    this.authorities = new FollowedFiles('authorities that sign certificates', () => ({ value: read(), files }));
  }

  get isEmpty(): boolean {
    return this.pairs.size === 0;
  }

  of(signer: string): SigningAuthority | undefined {
    return this.authorities.current().get(signer);
  }

  watch(clock: Clock, logger: Logger): () => void {
    return this.authorities.watch(clock, logger);
  }
}

function authorityIn({ certificate, key }: FilePair): SigningAuthority {
  const texts = [readConfigFile(certificate), readConfigFile(key)] as const;
  try {
    return readAuthority(...texts);
  } catch (error) {
    throw new ConfigError(`cannot sign with ${certificate} and ${key}: ${errorMessage(error)}`);
  }
}
