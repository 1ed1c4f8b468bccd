/**
 * The text of kubeconfigs with embedded certificates: for a user of a cluster, and for machines that join it and have no
 * credential yet. Reads and writes no files; entries of a user's own kubeconfig are left to merge-kubeconfig.ts.
 */
import { dump } from 'js-yaml';
import { serverUrl } from '../../shared/client/kubeconfig/client-config';
import { KubeconfigFile } from '../../shared/client/kubeconfig/kubeconfig-mapping';
import type { Credential } from '../../shared/pki/certificates';

/** How a machine without credentials finds a cluster. */
export interface ClusterAddress {
  readonly server: URL;
  /** PEM, one certificate or more. */
  readonly authority: string;
}

const CLUSTER = 'platform';
/** The name of the administrator in kubeconfigs. */
export const ADMINISTRATOR_NAME = 'platform-admin';

/** What a kubeconfig with one user contains. */
export interface KubeconfigContent {
  /** The https URL. */
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  /** The name of the credential in the file. */
  readonly user: string;
  readonly credential: Credential;
}

/** The text of a kubeconfig, in YAML. */
export function formatKubeconfig({ server, authority, user, credential }: KubeconfigContent): string {
  const context = `${user}@${CLUSTER}`;
  return format({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: CLUSTER, cluster: clusterEntry(server, authority) }],
    users: [
      {
        name: user,
        user: { 'client-certificate-data': base64(credential.certificate), 'client-key-data': base64(credential.key) },
      },
    ],
    contexts: [{ name: context, context: { cluster: CLUSTER, user } }],
    'current-context': context,
    preferences: {},
  });
}

/** The text of a kubeconfig with the https URL of the server and its authority (PEM), and without a user. */
export function formatClusterInfoKubeconfig(server: string, authority: string): string {
  return format({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: '', cluster: clusterEntry(server, authority) }],
    contexts: [],
    'current-context': '',
    preferences: {},
    users: [],
  });
}

const clusterEntry = (server: string, authority: string) => ({ server, 'certificate-authority-data': base64(authority) });

/** The layout of earlier releases, so that equal content is an equal text. */
const format = (kubeconfig: object): string => dump(kubeconfig, { lineWidth: -1, seqNoIndent: true, quoteStyle: 'double' });

/** Reads the first cluster of such a kubeconfig. Throws ConfigError; `source` names the text in messages. */
export function parseClusterInfoKubeconfig(text: string, source: string): ClusterAddress {
  const file = new KubeconfigFile(source);
  const [entry] = file.parse(text).parts('clusters');
  if (entry === undefined) throw file.error('has no cluster');
  const cluster = entry.part('cluster');
  const authority = Buffer.from(cluster.requiredText('certificate-authority-data'), 'base64').toString();
  return { server: serverUrl(cluster.requiredText('server')), authority };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
