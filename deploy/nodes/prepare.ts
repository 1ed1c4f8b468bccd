/**
 * Creates what kubeadm reads when a node joins: permissions and configuration. Objects that exist stay as they are,
 * because administrators edit them.
 */
import type { RestClient } from '../../shared/client/rest/rest-client';
import { resourceOf } from '../../shared/client/rest/resource';
import { undefinedIfNotFound } from '../../shared/client/rest/api-error';
import { CLUSTER_INFO } from '../../shared/names/bootstrap-token';
import { DIALECTS, GENERATED_NAMES, type Dialect } from '../../shared/names/dialect';
import { formatIpAddress, parseIpAddress } from '../../shared/values/network/ip-address';
import { stringAt } from '../../shared/values/json';
import { createIfMissing } from '../cluster/administrator';
import { parseClusterInfoKubeconfig, type ClusterAddress } from '../cluster/kubeconfig';
import { JOIN_ACCESS } from './join-access';
import { clusterConfigMap, kubeletConfigMap, type ClusterConfiguration } from './kubeadm-configuration';

const CONFIG_MAPS = resourceOf('core.v1.ConfigMap');
const SERVICES = resourceOf('core.v1.Service');
const DEFAULT_NAMESPACE = 'default';
/** From the address of the API servers' Service, the first of the range of Services, to that of the DNS Service, the tenth. */
const DNS_OFFSET = 9n;

/** Returns the number of objects that were created. Rejects with the error of the server. */
export async function prepareForNodes(client: RestClient, configuration: ClusterConfiguration, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (const { resource, object } of [...JOIN_ACCESS, clusterConfigMap(configuration), kubeletConfigMap(configuration.network)]) {
    if (await createIfMissing(client, resource, signal, object)) count += 1;
  }
  return count;
}

/** The Service of the API servers in the namespace `default`. */
export interface DefaultService {
  /** The `--naming` of the server: the name of the Service follows it, whatever spelling a request uses. */
  readonly naming: Dialect;
  /** The cluster IP of the Service; `''` when it has none. */
  readonly address: string;
}

/** `undefined` when the server has not created it yet. */
export async function readDefaultService(client: RestClient, signal: AbortSignal): Promise<DefaultService | undefined> {
  for (const naming of DIALECTS) {
    const name = GENERATED_NAMES[naming].defaultService;
    const service = await undefinedIfNotFound(client.of(SERVICES).namespace(DEFAULT_NAMESPACE).get(name, { signal }));
    if (service !== undefined) return { naming, address: service.body.spec?.clusterIP ?? '' };
  }
  return undefined;
}

/** The address of the DNS Service from that of the API servers' Service; `undefined` when that is no IP address. */
export function dnsAddressOf(serviceAddress: string): string | undefined {
  const address = parseIpAddress(serviceAddress);
  return address === undefined ? undefined : formatIpAddress({ ...address, value: address.value + DNS_OFFSET });
}

/** What joining nodes find in the ConfigMap cluster-info; `undefined` when it is missing. Throws when it is not usable. */
export async function readClusterInfo(client: RestClient, signal: AbortSignal): Promise<ClusterAddress | undefined> {
  const { publicNamespace: namespace } = GENERATED_NAMES[client.dialect];
  const map = await undefinedIfNotFound(client.of(CONFIG_MAPS).namespace(namespace).get(CLUSTER_INFO.name, { signal }));
  if (map === undefined) return undefined;
  return parseClusterInfoKubeconfig(map.body.data?.[CLUSTER_INFO.kubeconfig] ?? '', `of the ConfigMap ${CLUSTER_INFO.name}`);
}

/** Such as `v1.31.1`; `''` when the server reports none. */
export async function readServerVersion(client: RestClient, signal: AbortSignal): Promise<string> {
  return stringAt(await client.getDocument('/version', 'application/json', { signal }), 'gitVersion') ?? '';
}
