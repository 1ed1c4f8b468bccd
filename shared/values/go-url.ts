/**
 * URLs as upstream reads them, with its words for what is no URL. Says nothing of what a URL is good for. The parts that nobody asks for are only
 * checked.
 */
import { quote } from './quote';

export interface GoUrl {
  /** In small letters; '' = none. */
  readonly scheme: string;
  /** `user` or `user:password`; undefined = none. */
  readonly user: string | undefined;
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

/** `fault` is upstream's text: `parse "://": missing protocol scheme`. */
export type ParsedUrl = { readonly type: 'good'; readonly url: GoUrl } | { readonly type: 'bad'; readonly fault: string };

class Fault extends Error {}

export function parseUrl(text: string): ParsedUrl {
  try {
    return { type: 'good', url: parse(text) };
  } catch (error) {
    if (error instanceof Fault) return { type: 'bad', fault: `parse ${quote(text)}: ${error.message}` };
    throw error;
  }
}

const CONTROL = /[\u0000-\u001f\u007f]/;
const AUTHORITY = /^\/\/([^/]*)/;

function parse(text: string): GoUrl {
  const [front, fragment] = cut(text, '#');
  if (CONTROL.test(front)) throw new Fault('net/url: invalid control character in URL');
  const { scheme, rest } = splitScheme(front);
  const [place, query] = cut(rest, '?');
  checkEscapes(fragment);
  if (!place.startsWith('/')) {
    if (scheme !== '') return { scheme, user: undefined, host: '', query, fragment };
    if (/^[^/]*:/.test(place)) throw new Fault('first path segment in URL cannot contain colon');
  }
  const isRooted = place.startsWith('//') && (scheme !== '' || !place.startsWith('///'));
  const authority = isRooted ? (AUTHORITY.exec(place)?.[1] ?? '') : undefined;
  checkEscapes(authority === undefined ? place : place.slice(2 + authority.length));
  return { scheme, ...readAuthority(authority ?? ''), query, fragment };
}

function cut(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function splitScheme(text: string): { readonly scheme: string; readonly rest: string } {
  if (text.startsWith(':')) throw new Fault('missing protocol scheme');
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1];
  return scheme === undefined ? { scheme: '', rest: text } : { scheme: scheme.toLowerCase(), rest: text.slice(scheme.length + 1) };
}

function readAuthority(authority: string): Pick<GoUrl, 'user' | 'host'> {
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? undefined : authority.slice(0, at);
  const host = authority.slice(at + 1);
  checkHost(host);
  if (user !== undefined && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new Fault('net/url: invalid userinfo');
  checkEscapes(user ?? '');
  return { user, host };
}

const BAD_HOST_CHARACTER = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/;

function checkHost(host: string): void {
  const end = host.startsWith('[') ? host.lastIndexOf(']') : undefined;
  if (end !== undefined && end < 0) throw new Fault("missing ']' in host");
  const port = end === undefined ? (/:[^:]*$/.exec(host)?.[0] ?? '') : host.slice(end + 1);
  if (port !== '' && !/^:[0-9]*$/.test(port)) throw new Fault(`invalid port ${quote(port)} after host`);
  checkEscapes(host);
  const bad = BAD_HOST_CHARACTER.exec(host)?.[0];
  if (bad !== undefined) throw new Fault(`invalid character ${quote(bad)} in host name`);
}

function checkEscapes(text: string): void {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/su.exec(text)?.[0];
  if (bad !== undefined) throw new Fault(`invalid URL escape ${quote(bad)}`);
}
