/**
 * Parses URLs as Go's `net/url` does, with its error messages. The path, which has no member in {@link GoUrl}, is only
 * validated.
 */
import { quote } from '../text/quote';

/** The parts of a URL that Go's net/url accepts. */
export interface GoUrl {
  /** In lower case; `''` when there is none. */
  readonly scheme: string;
  /** `user` or `user:password`; `undefined` without an `@`. */
  readonly user: string | undefined;
  /** With the port, if there is one. */
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

/** `error` is upstream's text: `parse "://": missing protocol scheme`. */
export type ParsedGoUrl = { readonly type: 'good'; readonly url: GoUrl } | { readonly type: 'bad'; readonly error: string };

/** Thrown within this file only. */
class UrlError extends Error {}

/** Never throws: the result of a bad URL has the error of Go. */
export function parseGoUrl(text: string): ParsedGoUrl {
  try {
    return { type: 'good', url: parse(text) };
  } catch (error) {
    if (error instanceof UrlError) return { type: 'bad', error: `parse ${quote(text)}: ${error.message}` };
    throw error;
  }
}

const CONTROL = /[\u0000-\u001f\u007f]/;
/** Between two slashes and the next one: `user@host:80` of `//user@host:80/path`. */
const AUTHORITY = /^\/\/([^/]*)/;

function parse(text: string): GoUrl {
  const [front, fragment] = splitAtFirst(text, '#');
  if (CONTROL.test(front)) throw new UrlError('net/url: invalid control character in URL');
  const { scheme, rest } = splitScheme(front);
  const [location, query] = splitAtFirst(rest, '?');
  checkEscapes(fragment);
  if (!location.startsWith('/')) {
    // An opaque URL (`mailto:name`) has no host and no path.
    if (scheme !== '') return { scheme, user: undefined, host: '', query, fragment };
    if (/^[^/]*:/.test(location)) throw new UrlError('first path segment in URL cannot contain colon');
  }
  // Without a scheme `///path` is a path.
  const hasAuthority = location.startsWith('//') && (scheme !== '' || !location.startsWith('///'));
  const authority = hasAuthority ? (AUTHORITY.exec(location)?.[1] ?? '') : undefined;
  checkEscapes(authority === undefined ? location : location.slice(2 + authority.length));
  return { scheme, ...readAuthority(authority ?? ''), query, fragment };
}

function splitAtFirst(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function splitScheme(text: string): { readonly scheme: string; readonly rest: string } {
  if (text.startsWith(':')) throw new UrlError('missing protocol scheme');
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1];
  return scheme === undefined ? { scheme: '', rest: text } : { scheme: scheme.toLowerCase(), rest: text.slice(scheme.length + 1) };
}

function readAuthority(authority: string): Pick<GoUrl, 'user' | 'host'> {
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? undefined : authority.slice(0, at);
  const host = authority.slice(at + 1);
  checkHost(host);
  if (user !== undefined && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new UrlError('net/url: invalid userinfo');
  checkEscapes(user ?? '');
  return { user, host };
}

const BAD_HOST_CHARACTER = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/;

/** @param host with the port, if there is one: `example.com:80`, `[::1]:80` */
function checkHost(host: string): void {
  const end = host.startsWith('[') ? host.lastIndexOf(']') : undefined;
  if (end !== undefined && end < 0) throw new UrlError("missing ']' in host");
  const port = end === undefined ? (/:[^:]*$/.exec(host)?.[0] ?? '') : host.slice(end + 1);
  if (port !== '' && !/^:[0-9]*$/.test(port)) throw new UrlError(`invalid port ${quote(port)} after host`);
  checkEscapes(host);
  const bad = BAD_HOST_CHARACTER.exec(host)?.[0];
  if (bad !== undefined) throw new UrlError(`invalid character ${quote(bad)} in host name`);
}

function checkEscapes(text: string): void {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/su.exec(text)?.[0];
  if (bad !== undefined) throw new UrlError(`invalid URL escape ${quote(bad)}`);
}
