/**
 * URLs made of parts that were parsed, for hosts and ports that stand as text in objects and requests. A host is an IP address or a DNS name and a port is a number: nothing in
 * either can become userinfo, a path or another host. Resolves no names.
 */
import { formatIpAddress, parseIpAddress, type IpAddress } from './ip-address';

export type Host = { readonly type: 'address'; readonly address: IpAddress } | { readonly type: 'name'; readonly name: string };

const LABEL = /^[A-Za-z0-9_-]{1,63}$/;
/** URL parsers and resolvers read a name that ends in a number as an IPv4 address: `127.1`, `0x7f000001`. */
const NUMBER = /^(?:[0-9]+|0[xX][0-9a-fA-F]*)$/;
const LONGEST_NAME = 253;

/** Undefined when the text is neither an IP address nor a DNS name. IPv6 addresses have no brackets and no zone. */
export function parseHost(text: string): Host | undefined {
  const address = parseIpAddress(text);
  if (address !== undefined) return { type: 'address', address };
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const labels = name.split('.');
  const isName = name.length <= LONGEST_NAME && labels.every((label) => LABEL.test(label)) && !NUMBER.test(labels.at(-1) ?? '');
  return isName && staysInUrl(text) ? { type: 'name', name: text } : undefined;
}

/** Not so for a malformed internationalized label (`xn--`). */
const staysInUrl = (name: string): boolean => URL.canParse(`https://${name}`) && new URL(`https://${name}`).hostname === name.toLowerCase();

const HIGHEST_PORT = 65_535;

/** Undefined when the text is no port, 1 to 65535 in decimal. */
export function parsePort(text: string): number | undefined {
  if (!/^[0-9]+$/.test(text)) return undefined;
  const port = Number(text);
  return port >= 1 && port <= HIGHEST_PORT ? port : undefined;
}

/** Without `port` the scheme's own. */
export function hostUrl(scheme: 'http' | 'https', host: Host, port?: number): URL {
  const url = new URL(`${scheme}://${host.type === 'name' ? host.name : inUrl(host.address)}`);
  if (port !== undefined) url.port = String(port);
  return url;
}

const inUrl = (address: IpAddress): string => (address.family === 6 ? `[${formatIpAddress(address)}]` : formatIpAddress(address));
