/**
 * `platform certificates create` and `create-secrets`: the certificates of a cluster with components on several machines,
 * or as pods of another cluster.
 */
import { tmpdir } from 'node:os';
import path from 'node:path';
import { UsageError } from '../../../shared/cli/flags';
import { workloadConfig } from '../../../shared/client/kubeconfig/client-config';
import { readKubeconfig } from '../../../shared/client/kubeconfig/kubeconfig';
import { RestClient } from '../../../shared/client/rest/rest-client';
import { connect } from '../../../shared/client/transport/connect';
import { WORKLOAD_NAMES } from '../../../shared/names/workload';
import { ensureComponentFiles, openComponentFolders, type ComponentFilesOptions } from '../../cluster/component-files';
import { ensureComponentSecrets, secretStore } from '../../cluster/component-secrets';
import { serviceAddresses } from '../../cluster/identities';
import type { CertificatesCreateFlags, CertificatesCreateSecretsFlags, ComponentCertificateFlags } from './flags';
import type { CommandHost } from '../terminal/host';

/** The name of the folder of the etcd members, and of the files of the certificate that they share. */
const ETCD = 'etcd';
/** For each request for a Secret: an API server that is overloaded may still respond. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Resolves to the exit code 0. Creates missing files and replaces invalid ones; repeated calls change nothing else.
 * Throws {@link UsageError} for a URL that is not https.
 */
export async function createCertificateFolders(flags: CertificatesCreateFlags, host: CommandHost): Promise<number> {
  const root = path.resolve(host.directory, flags['output-dir']);
  const created: string[] = [];
  const folders = openComponentFolders(root, host.clock, (label) => created.push(label));
  await ensureComponentFiles(folders, componentFilesOptions(flags));
  host.write(created.length === 0 ? 'all certificates are valid\n' : `created ${created.join(', ')}\n`);
  return 0;
}

/**
 * Resolves to the exit code 0. Creates missing Secrets and replaces invalid certificates; repeated calls change nothing
 * else. Throws {@link UsageError} without a namespace, and for malformed URLs and labels.
 */
export async function createCertificateSecrets(flags: CertificatesCreateSecretsFlags, host: CommandHost): Promise<number> {
  const { clock, random } = host;
  const { namespace, kubeconfig } = flags;
  if (namespace === '') throw new UsageError('--namespace is required');
  const files = componentFilesOptions(flags);
  const config =
    kubeconfig === ''
      ? workloadConfig(host.environment, Object.values(WORKLOAD_NAMES))
      : readKubeconfig(path.resolve(host.directory, kubeconfig));
  const { transport, credentials } = connect(config, clock);
  const client = new RestClient({
    ...{ transport, credentials, clock, random },
    // Secrets have the same name in both dialects.
    dialect: 'kubernetes',
    userAgent: 'platform-certificates',
    timeoutMs: REQUEST_TIMEOUT_MS,
  });
  try {
    const store = secretStore(client, namespace);
    const secrets = { namespace, prefix: flags['name-prefix'], labels: labelsFrom(flags.labels) };
    const written = await ensureComponentSecrets({ store, clock, temporaryFolder: tmpdir(), ...secrets }, files);
    host.write(written.length === 0 ? 'all Secrets are up to date\n' : `wrote the Secrets ${written.join(', ')}\n`);
    return 0;
  } finally {
    transport.close();
  }
}

function componentFilesOptions(flags: ComponentCertificateFlags): ComponentFilesOptions {
  const externalAddress = httpsUrl('external-address', flags['external-address']);
  const etcdNames = flags['etcd-names'];
  return {
    externalAddress,
    internalAddress: flags['internal-address'] === '' ? externalAddress : httpsUrl('internal-address', flags['internal-address']),
    serverNames: [...flags['server-names'], ...serviceAddresses(flags['service-cluster-ip-range'])],
    controllersNames: flags['controllers-names'],
    etcdCertificates: etcdNames.length === 0 ? [] : [{ folder: ETCD, file: ETCD, names: etcdNames }],
  };
}

/** Throws {@link UsageError} for another URL. */
function httpsUrl(flag: string, text: string): string {
  if (!URL.canParse(text) || new URL(text).protocol !== 'https:') throw new UsageError(`--${flag} must be an https URL`);
  return text;
}

/** From `key=value` pairs. Throws {@link UsageError} for any other text. */
function labelsFrom(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key = '', value, ...rest] = pair.split('=');
      const isPair = key !== '' && value !== undefined && rest.length === 0;
      if (!isPair) throw new UsageError('--labels must be key=value pairs');
      return [key, value];
    }),
  );
}
