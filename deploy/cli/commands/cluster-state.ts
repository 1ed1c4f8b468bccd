/**
 * What `platform status` reads from a ready API server as administrator: the Leases of the controllers, and the size of
 * the store. When a request fails, the Leases are empty and the size is null.
 */
import { get } from 'node:https';
import { resourceOf } from '../../../shared/client/rest/resource';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { Random } from '../../../shared/runtime/random';
import { withAdministrator } from '../../cluster/administrator';
import type { ServerAccess } from '../../local/readiness';

/** Which process leads a controller. */
export interface ControllerLease {
  readonly controller: string;
  /** `''` when the Lease is free. */
  readonly holder: string;
  /** RFC 3339. */
  readonly renewedAt: string;
}

const LEASES = resourceOf('coordination.v1.Lease');
/** The default of the controllers' flag `--leader-elect-resource-name`. */
const LEASE_PREFIX = 'controller-';
/** The spelling of the requests. API servers accept it with any `--naming`. */
const DIALECT = 'platform';
/** A user waits for the output, so a server that hangs counts as missing soon. */
const TIMEOUT_MS = 5_000;
/** A page; there is one Lease for each controller. */
const MAX_LEASES = 500;
const MAX_METRICS_BYTES = 16 << 20;

/** The Leases sorted by controller. Empty when the request fails, because the rest of the status is still of use. */
export async function readLeaders(
  { address, authority, admin }: ServerAccess,
  host: { readonly clock: Clock; readonly random: Random },
): Promise<readonly ControllerLease[]> {
  const { clock, random } = host;
  const server = {
    server: address,
    authority,
    admin,
    naming: DIALECT,
    clock,
    random,
    timeoutMs: TIMEOUT_MS,
    userAgent: 'platform',
  } as const;
  try {
    const namespace = GENERATED_NAMES[DIALECT].systemNamespace;
    const { items } = await withAdministrator(server, (client) => client.of(LEASES).namespace(namespace).list({ limit: MAX_LEASES }));
    return items
      .filter(({ name }) => name.startsWith(LEASE_PREFIX))
      .map(({ name, body: { spec } }) => ({
        controller: name.slice(LEASE_PREFIX.length),
        holder: spec?.holderIdentity ?? '',
        renewedAt: spec?.renewTime ?? '',
      }))
      .sort((a, b) => (a.controller < b.controller ? -1 : 1));
  } catch {
    return [];
  }
}

/** A line of the metrics: `apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 1.2e+06`. */
const STORE_SIZE = /^apiserver_storage_size_bytes(?:\{[^}]*\})? (\S+)$/gm;

/** Bytes of the store from the metrics of the server; `null` when they are not known. */
export async function readStoreBytes(server: ServerAccess, clock: Clock): Promise<number | null> {
  const metrics = await readMetrics(server, clock);
  const sizes = [...metrics.matchAll(STORE_SIZE)].map(([, value]) => Number(value));
  return sizes.length === 0 ? null : Math.max(...sizes);
}

/** The text of `/metrics`; `''` or a part of it when the request fails. */
function readMetrics({ address, authority, admin }: ServerAccess, clock: Clock): Promise<string> {
  return new Promise((resolve) => {
    const options = { ca: authority, cert: admin.certificate, key: admin.key, agent: false };
    const request = get(`${address}/metrics`, options, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_METRICS_BYTES) request.destroy();
        else chunks.push(chunk);
      });
      response.once('close', () => resolve(Buffer.concat(chunks).toString()));
    });
    const timer = clock.after(TIMEOUT_MS, () => request.destroy());
    request.once('error', () => resolve(''));
    request.once('close', () => timer.cancel());
  });
}
