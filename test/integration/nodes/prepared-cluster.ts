/** An API server in this process with what `platform` creates for joining nodes and add-ons. */
import { FLAGS } from '../../../apiserver/options/flags/flags';
import { writeClusterInfo } from '../../../deploy/cluster/cluster-info';
import type { AddonSettings } from '../../../deploy/addons/addon';
import { ADDONS, applyAddon } from '../../../deploy/addons/manage-addons';
import { createToken } from '../../../deploy/nodes/bootstrap-tokens';
import { prepareForNodes } from '../../../deploy/nodes/prepare';
import { NODE_TOKEN_GROUP } from '../../../shared/names/bootstrap-token';
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { connectClient } from '../../support/connect-client';
import { ADMIN } from '../http/api-call';
import type { Fixture } from '../http/fixture';

/** The address and network of the cluster that was recorded. */
export const SERVER = new URL('https://192.0.2.1:6443');
export const NETWORK = { domain: 'cluster.local', dnsAddress: '10.96.0.10', serviceRange: '10.96.0.0/16', podRange: '10.244.0.0/16' };

export const SERVICE_RANGES = FLAGS['service-cluster-ip-range'].parse(NETWORK.serviceRange, undefined);

const { signal } = new AbortController();

/** Sends requests as administrator, in upstream's names. */
export async function withAdministrator<T>(api: Fixture, use: (client: RestClient) => Promise<T>): Promise<T> {
  const servers = [new URL(`https://127.0.0.1:${api.server.port}`)];
  const config = { servers, tls: { ca: api.authority.certificate }, credentials: { type: 'token', token: ADMIN } } as const;
  const client = connectClient(config, { dialect: 'kubernetes' });
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

/** Creates what nodes need to join, the add-ons and a bootstrap token. */
export async function prepareCluster(api: Fixture): Promise<void> {
  await withAdministrator(api, async (client) => {
    await writeClusterInfo(client, { server: SERVER.origin, authority: api.authority.certificate, naming: 'kubernetes' }, signal);
    await prepareForNodes(client, { endpoint: SERVER.host, version: 'v1.31.1', network: NETWORK }, signal);
    for (const addon of ADDONS) {
      const settings: AddonSettings = { image: addon.defaultImage, network: NETWORK, server: SERVER };
      await applyAddon(client, { addon, settings, force: false, onApplied: () => undefined }, signal);
    }
    const token = { id: 'abcdef', secret: '0123456789abcdef' };
    const settings = {
      token,
      description: '',
      expiresAt: Infinity,
      usages: ['authentication', 'signing'],
      groups: [NODE_TOKEN_GROUP],
    } as const;
    await createToken(client, settings, signal);
  });
}
