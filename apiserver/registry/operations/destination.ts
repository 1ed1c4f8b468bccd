/** Where a request that leads to a machine goes: worked out from the objects that stand for it. Connects to nothing. */
import { isIPv4, isIPv6 } from 'node:net';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import { badRequest, serviceUnavailable, StatusError } from '../../../shared/api/errors/status';

/** `kubelet` = as the one who runs a node is trusted; `any` = whoever answers. */
export type Trust = 'kubelet' | 'any';

export interface Destination {
  readonly type: 'log' | 'stream' | 'proxy';
  /** Without a path where it is the client's. */
  readonly url: URL;
  readonly trust: Trust;
}

const DEFAULT_PORT = 10_250;

/** The node's kubelet: the first address of the most preferred type. */
export function kubeletOf(node: JsonObject, preferred: readonly string[]): URL {
  const status = objectAt(node, 'status');
  const addresses = (arrayAt(status, 'addresses') ?? []).filter(isObject);
  const found = preferred.flatMap((type) => addresses.filter((address) => stringAt(address, 'type') === type))[0];
  const host = stringAt(found, 'address');
  if (host === undefined || host === '') {
    const known = addresses.map((address) => `{${stringAt(address, 'type') ?? ''} ${stringAt(address, 'address') ?? ''}}`).join(' ');
    throw new StatusError(undefined, `no preferred addresses found; known addresses: [${known}]`, undefined, { code: 500 });
  }
  return addressOf('https', host, kubeletPort(node));
}

export function kubeletPort(node: JsonObject): number {
  const port = own(objectAt(objectAt(objectAt(node, 'status'), 'daemonEndpoints'), 'kubeletEndpoint') ?? {}, 'Port');
  return typeof port === 'number' && port > 0 ? port : DEFAULT_PORT;
}

/** Throws 400 where that is no address. */
export function addressOf(scheme: string, host: string, port: number | string): URL {
  const text = `${scheme}://${isIPv6(host) ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`;
  if (!URL.canParse(text)) throw badRequest('address not allowed');
  return new URL(text);
}

/** What only the machine of the server itself reaches is nobody's to be led to. */
export function checkProxyable(host: string): void {
  if (host === 'localhost' || isOwn(host)) throw badRequest('address not allowed');
}

function isOwn(host: string): boolean {
  if (isIPv4(host)) {
    const [first = 0, second = 0] = host.split('.').map(Number);
    return first === 127 || first === 0 || first >= 224 || (first === 169 && second === 254);
  }
  if (!isIPv6(host)) return false;
  const lower = new URL(`http://[${host}]`).hostname.slice(1, -1);
  return (
    lower === '::' || lower === '::1' || /^fe[89ab]|^ff/.test(lower) || lower.startsWith('::ffff:7f') || lower.startsWith('::ffff:a9fe')
  );
}

/** One of the endpoints behind the Service's port. `chance` in [0, 1). */
export function endpointOf(
  name: string,
  scheme: string,
  endpoints: JsonObject | undefined,
  portName: string | undefined,
  chance: number,
): URL {
  const subsets = (arrayAt(endpoints, 'subsets') ?? []).filter(isObject);
  const found = subsets.flatMap((subset) => {
    const port = (arrayAt(subset, 'ports') ?? [])
      .filter(isObject)
      .find((each) => portName === undefined || (stringAt(each, 'name') ?? '') === portName);
    if (port === undefined) return [];
    return (arrayAt(subset, 'addresses') ?? [])
      .filter(isObject)
      .map((address) => ({ host: stringAt(address, 'ip') ?? '', port: Number(own(port, 'port') ?? 0) }));
  });
  const chosen = found[Math.floor(chance * found.length)];
  if (chosen === undefined) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  checkProxyable(chosen.host);
  return addressOf(scheme, chosen.host, chosen.port);
}
