/** The `uri` format of upstream: an absolute URI or an absolute path (Go's `url.ParseRequestURI`). */
import { isIpv6 } from './format-address';

/** The characters of a host. Only bytes that are not ASCII (`%C3`) and the percent sign (`%25`) may be escaped. */
const HOST = /^(?:[A-Za-z0-9!$&'()*+,;=:[\]<>"\-_.~\u0080-\uffff]|%(?:[89A-Fa-f][0-9A-Fa-f]|25))*$/;
/** A text in which each `%` begins an escape. */
const ESCAPED = /^(?:[^%]|%[0-9A-Fa-f]{2})*$/;
/** The characters of a user and password. */
const USER = /^(?:[A-Za-z0-9\-._:~!$&'()*+,;=@]|%[0-9A-Fa-f]{2})*$/;
/** Nothing, a colon, or a colon and digits: `:8080`. */
const PORT = /^(?::[0-9]*)?$/;

/** Whether the text has the `uri` format. */
export function isRequestUri(text: string): boolean {
  if (text === '' || hasControls(text)) return false;
  if (text === '*') return true;
  if (text.startsWith(':')) return false;
  const scheme = /^[A-Za-z][A-Za-z0-9+\-.]*:/.exec(text)?.[0] ?? '';
  const query = text.indexOf('?', scheme.length);
  const rest = text.slice(scheme.length, query < 0 ? undefined : query);
  // An opaque URI such as `mailto:a`; a relative path is refused.
  if (!rest.startsWith('/')) return scheme !== '';
  // A path without an authority. Without a scheme, two slashes begin a path too.
  if (scheme === '' || !rest.startsWith('//')) return ESCAPED.test(rest);
  const slash = rest.indexOf('/', 2);
  const authority = rest.slice(2, slash < 0 ? undefined : slash);
  return isAuthority(authority) && (slash < 0 || ESCAPED.test(rest.slice(slash)));
}

function hasControls(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@');
  return isHost(authority.slice(at + 1)) && (at < 0 || USER.test(authority.slice(0, at)));
}

/** `example.com`, `example.com:80`, `[::1]:80`, or with a zone `[fe80::1%25eth0]`. */
function isHost(host: string): boolean {
  const open = host.lastIndexOf('[');
  if (open >= 0) {
    const close = host.lastIndexOf(']');
    if (open > 0 || close < open || !PORT.test(host.slice(close + 1))) return false;
    const [address = '', zone] = host.slice(open + 1, close).split('%25', 2);
    return HOST.test(host) && zone !== '' && isIpv6(address);
  }
  const colon = host.lastIndexOf(':');
  return (colon < 0 || PORT.test(host.slice(colon))) && HOST.test(host);
}
