/**
 * `platform nodes prepare`: prepares a control plane for machines that kubeadm joins. The commands for tokens and add-ons
 * share its functions.
 */
import { hostWithoutBrackets } from '../../../../shared/values/network/host-url';
import { addressClass, parseIpAddress } from '../../../../shared/values/network/ip-address';
import type { ClusterAddress } from '../../../cluster/kubeconfig';
import { endpointOf } from '../../../nodes/join-command';
import type { ClusterNetwork } from '../../../nodes/kubeadm-configuration';
import { dnsAddressOf, prepareForNodes, readClusterInfo, readServerVersion } from '../../../nodes/prepare';
import { CommandError, type CommandHost } from '../../terminal/host';
import type { NetworkFlags, NodesPrepareFlags } from './flags';
import { assertServesNodes, withCluster, type OpenCluster } from './open-cluster';

/** Returns the exit code. Creates missing objects only, so it can be repeated. */
export async function prepareNodes(flags: NodesPrepareFlags, host: CommandHost): Promise<number> {
  return withCluster(flags, host, async (cluster) => {
    const { address, created } = await prepareCluster(flags, cluster);
    warnAboutLoopback(address, host);
    host.write(`${created === 0 ? 'everything exists' : `created ${created} objects`}: nodes join at ${endpointOf(address.server)}\n`);
    return 0;
  });
}

/** The result of {@link prepareCluster}. */
export interface Preparation {
  readonly address: ClusterAddress;
  /** The number of objects that did not exist before. */
  readonly created: number;
}

/**
 * Creates the objects that kubeadm reads when a node joins, as far as they are missing. Throws {@link CommandError} when
 * nodes cannot join.
 */
export async function prepareCluster(flags: NetworkFlags, cluster: OpenCluster): Promise<Preparation> {
  const address = await readJoinAddress(cluster);
  const { client, signal } = cluster;
  const endpoint = endpointOf(address.server);
  const version = await readServerVersion(client, signal);
  const created = await prepareForNodes(client, { endpoint, version, network: networkOf(flags, cluster) }, signal);
  return { address, created };
}

/**
 * Reads the address at which nodes reach the API servers. Throws {@link CommandError} when it is not published, and for a
 * control plane without upstream's names.
 */
export async function readJoinAddress(cluster: OpenCluster): Promise<ClusterAddress> {
  assertServesNodes(cluster);
  const address = await readClusterInfo(cluster.client, cluster.signal);
  if (address !== undefined) return address;
  throw new CommandError("the ConfigMap cluster-info is missing in kube-public: 'platform start' publishes it when it starts");
}

/** The network flags of the add-on commands, which have no range of Services. */
type AddonNetworkFlags = Omit<NetworkFlags, 'service-cluster-ip-range'> & Partial<NetworkFlags>;

/** Throws {@link CommandError} when the address of the DNS Service cannot be derived. */
export function networkOf(flags: AddonNetworkFlags, { service }: OpenCluster): ClusterNetwork {
  const dnsAddress = dnsAddressOf(service.address);
  if (dnsAddress === undefined) throw new CommandError('the Service kubernetes in the namespace default has no cluster IP');
  return {
    domain: flags['cluster-domain'],
    dnsAddress,
    serviceRange: flags['service-cluster-ip-range'] ?? '',
    podRange: flags['cluster-cidr'],
  };
}

/** Warns about a loopback address, at which other machines do not reach the control plane. */
export function warnAboutLoopback({ server }: ClusterAddress, host: CommandHost): void {
  const address = parseIpAddress(hostWithoutBrackets(server));
  const isLoopback = address === undefined ? server.hostname === 'localhost' : addressClass(address) === 'loopback';
  if (!isLoopback) return;
  host.writeError(
    `warning: nodes join at ${endpointOf(server)}, which only this machine reaches; ` +
      'start the control plane with --bind-address=0.0.0.0 --control-plane-endpoint=ADDRESS\n',
  );
}
