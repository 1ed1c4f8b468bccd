/**
 * Builds URLs from hosts and ports that are text in objects and requests. A host is parsed as an IP address or DNS name
 * and a port as a number, so that neither can become userinfo, a path or another host. Does not resolve names.
 */
import { formatIpAddress, parseIpAddress, type IpAddress } from './ip-address';

/** The host of a URL. */
export type Host = { readonly type: 'address'; readonly address: IpAddress } | { readonly type: 'name'; readonly name: string };

const LABEL = /^[A-Za-z0-9_-]{1,63}$/;
/** The last label of a name that URL parsers and resolvers would read as an IPv4 address: `127.1`, `0x7f000001`. */
const NUMERIC_LABEL = /^(?:[0-9]+|0[xX][0-9a-fA-F]*)$/;
/** Limit of a name in the DNS (RFC 1123). */
const MAX_NAME_LENGTH = 253;

/**
 * `undefined` when the text is neither an IP address nor a DNS name. IPv6 addresses must have no brackets and no zone.
 */
export function parseHost(text: string): Host | undefined {
  const address = parseIpAddress(text);
  if (address !== undefined) return { type: 'address', address };
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const labels = name.split('.');
  const isName = name.length <= MAX_NAME_LENGTH && labels.every((label) => LABEL.test(label)) && !NUMERIC_LABEL.test(labels.at(-1) ?? '');
  return isName && isUnchangedInUrl(text) ? { type: 'name', name: text } : undefined;
}

/** Whether a URL keeps the name unchanged; false for a malformed internationalized label (`xn--`). */
const isUnchangedInUrl = (name: string): boolean =>
  URL.canParse(`https://${name}`) && new URL(`https://${name}`).hostname === name.toLowerCase();

/** The host of a URL, without the brackets of an IPv6 address: `::1` of `https://[::1]:6443`. */
export const hostWithoutBrackets = ({ hostname }: Pick<URL, 'hostname'>): string => hostname.replace(/^\[(.*)\]$/, '$1');

const MAX_PORT = 65_535;

/** `undefined` when the text is not a decimal number from 1 to 65535. */
export function parsePort(text: string): number | undefined {
  if (!/^[0-9]+$/.test(text)) return undefined;
  const port = Number(text);
  return isPort(port) ? port : undefined;
}

export const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= MAX_PORT;

/**
 * A URL without a path. Without `port` it has the default port of the scheme. Throws RangeError when `port` is no port:
 * a URL would silently ignore it.
 */
export function hostUrl(scheme: 'http' | 'https', host: Host, port?: number): URL {
  const url = new URL(`${scheme}://${host.type === 'name' ? host.name : urlHost(host.address)}`);
  if (port !== undefined && !isPort(port)) throw new RangeError(`${port} is not a port`);
  if (port !== undefined) url.port = String(port);
  return url;
}

const urlHost = (address: IpAddress): string => (address.family === 6 ? `[${formatIpAddress(address)}]` : formatIpAddress(address));
