/** Computes the URL of a kubelet, pod or Service endpoint from API objects. Opens no connections. */
import { arrayAt, isObject, objectAt, ownMember, stringAt, type JsonObject } from '../../../shared/values/json';
import { hostUrl, isPort, parseHost, type Host } from '../../../shared/values/network/host-url';
import { parseIpAddress } from '../../../shared/values/network/ip-address';
import { isProxyable } from '../../../shared/values/network/proxyable-address';
import { badRequest, StatusError } from '../../../shared/api/errors/status';

/** How the server certificate is verified: `kubelet`, against the authority of kubelets; `any`, not at all. */
export type CertificateVerification = 'kubelet' | 'any';

/** Where a request is forwarded to. `log` and `stream` go to a kubelet; a `stream` needs a protocol upgrade. */
export interface Destination {
  readonly type: 'log' | 'stream' | 'proxy';
  /** Has no path when the path of the client is used. */
  readonly url: URL;
  readonly trust: CertificateVerification;
  /**
   * The checked addresses of the host name in the URL: no others are dialled. Absent when the host is an address or
   * is not checked.
   */
  readonly pinnedAddresses?: readonly string[];
}

/** Resolves a DNS name to its addresses; empty when it has none or the time limit is exceeded. Never rejects. */
export type ResolveHost = (name: string) => Promise<readonly string[]>;

/** The kubelet's port on a node that reports none. */
const DEFAULT_PORT = 10_250;

/** The host and port of a kubelet, not resolved. */
export interface KubeletAddress {
  /** As in the status of the node. */
  readonly host: string;
  readonly port: number;
}

/**
 * The address of the most preferred type in the status of the node. Throws 500 when the node has none of these types,
 * or an invalid port.
 */
export function kubeletAddressOf(node: JsonObject, preferred: readonly string[]): KubeletAddress {
  const status = objectAt(node, 'status');
  const addresses = (arrayAt(status, 'addresses') ?? []).filter(isObject);
  const inOrder = preferred.flatMap((type) => addresses.filter((address) => stringAt(address, 'type') === type));
  const host = stringAt(inOrder[0], 'address');
  if (host === undefined || host === '') {
    const addressTexts = addresses.map((address) => `{${stringAt(address, 'type') ?? ''} ${stringAt(address, 'address') ?? ''}}`);
    throw serverError(`no preferred addresses found; known addresses: [${addressTexts.join(' ')}]`);
  }
  return { host, port: kubeletPort(node) };
}

function kubeletPort(node: JsonObject): number {
  const port = ownMember(objectAt(objectAt(objectAt(node, 'status'), 'daemonEndpoints'), 'kubeletEndpoint') ?? {}, 'Port');
  if (typeof port !== 'number' || port <= 0) return DEFAULT_PORT;
  if (!isPort(port)) throw serverError(`dial tcp: address ${port}: invalid port`);
  return port;
}

/** A 500 without a reason, as upstream responds when an object leads to no address. */
const serverError = (message: string): StatusError => new StatusError(undefined, message, undefined, { code: 500 });

/** Throws 500 when the host is neither an address nor a DNS name. */
export function kubeletUrl({ host, port }: KubeletAddress): URL {
  const parsed = parseHost(host);
  if (parsed === undefined) throw serverError(noSuchHost(host));
  return hostUrl('https', parsed, port);
}

const noSuchHost = (host: string): string => `lookup ${host}: no such host`;
const notAllowed = (): StatusError => badRequest('address not allowed');

/** Parses an address that requests may be proxied to. Throws 400 for any other text. */
export function proxyableAddress(text: string): Host {
  const address = parseIpAddress(text);
  if (address === undefined || !isProxyable(address)) throw notAllowed();
  return { type: 'address', address };
}

/**
 * Parses a host that requests may be proxied to and resolves a name to its addresses. Rejects with 400 when the name has
 * none or one of them is not proxyable.
 */
export async function proxyableHost(
  text: string,
  resolveHost: ResolveHost,
): Promise<{ readonly host: Host; readonly pinnedAddresses?: readonly string[] }> {
  // Only link-local addresses have a zone, and they are not proxyable.
  if (text.includes('%')) throw notAllowed();
  const host = parseHost(text);
  if (host === undefined) throw badRequest(noSuchHost(text));
  if (host.type === 'address') return { host: proxyableAddress(text) };
  const pinnedAddresses = await resolveHost(host.name);
  if (pinnedAddresses.length === 0) throw badRequest(noSuchHost(text));
  // Called for its check: throws for an address that is not allowed.
  for (const address of pinnedAddresses) proxyableAddress(address);
  return { host, pinnedAddresses };
}
