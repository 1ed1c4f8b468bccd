/**
 * The URL library: `url`, `isURL` and the parts of a URL. Accepts absolute URLs and absolute paths, parsed like Go's
 * `url.ParseRequestURI`.
 */
import { appendToKey } from '../../values/append';
import { quote } from '../../values/text/quote';
import type { WorkContext } from '../values/equality';
import { ArrayList, EntryMap, ErrorValue, mapKeyOf, OpaqueValue, type Value } from '../values/value';
import { isOpaque, isString, traversalCosts, unary, type FunctionOverload, type ValueGuard } from './function';

interface UrlParts {
  readonly scheme: string;
  /** Includes the port, and brackets around an IPv6 address. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

/** A URL. Two are equal when their texts are. */
export class UrlValue extends OpaqueValue {
  readonly typeName = 'kubernetes.URL';

  constructor(
    readonly parts: UrlParts,
    readonly text: string,
  ) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof UrlValue && other.text === this.text;
  }

  override print(): string {
    return this.text;
  }
}

/** Thrown while a URL is split; callers outside this module get an error value. */
class UrlParseError extends Error {}

function fail(message: string): never {
  throw new UrlParseError(message);
}

/** A percent sign without two hexadecimal digits, with the characters that are in their place. */
const BAD_ESCAPE = /%(?![0-9a-fA-F]{2}).{0,2}/su;

/** `https` of `https://example.com`. */
const SCHEME = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/;
/** `user@host:80` of `//user@host:80/path`. */
const AUTHORITY = /^\/\/([^/]*)/;

/** Throws {@link UrlParseError}. */
function splitUrl(text: string): UrlParts {
  if (hasControls(text)) fail('net/url: invalid control character in URL');
  if (text === '') fail('empty url');
  const scheme = SCHEME.exec(text)?.[0] ?? '';
  if (text.startsWith(':')) fail('missing protocol scheme');
  const rest = scheme === '' ? text : text.slice(scheme.length + 1);
  const queryStart = rest.indexOf('?');
  const hierarchy = queryStart < 0 ? rest : rest.slice(0, queryStart);
  const query = queryStart < 0 ? '' : rest.slice(queryStart + 1);
  if (!hierarchy.startsWith('/')) {
    if (scheme === '') fail('invalid URI for request');
    return { scheme: scheme.toLowerCase(), host: '', path: '', query };
  }
  if (scheme === '' || !hierarchy.startsWith('//')) {
    return { scheme: scheme.toLowerCase(), host: '', path: checkPath(hierarchy), query };
  }
  const authority = AUTHORITY.exec(hierarchy)?.[1] ?? '';
  const path = hierarchy.slice(2 + authority.length);
  return { scheme: scheme.toLowerCase(), host: checkAuthority(authority), path: checkPath(path), query };
}

function hasControls(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/** Returns the path with its escapes. Throws {@link UrlParseError} for an invalid escape. */
function checkPath(path: string): string {
  const bad = BAD_ESCAPE.exec(path);
  if (bad !== null) fail(`invalid URL escape ${quote(bad[0])}`);
  return path;
}

/** The characters of user information (`user:password`). */
const USER_INFO = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;

/** Returns the host with its port, without escapes and user information. Throws {@link UrlParseError}. */
function checkAuthority(authority: string): string {
  const at = authority.lastIndexOf('@');
  if (at >= 0 && !USER_INFO.test(authority.slice(0, at))) fail('net/url: invalid userinfo');
  const host = authority.slice(at + 1);
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    if (end < 0) fail("missing ']' in host");
    checkPort(host.slice(end + 1));
  } else {
    const colon = host.lastIndexOf(':');
    if (colon >= 0) checkPort(host.slice(colon));
  }
  return unescapeHost(host);
}

function checkPort(port: string): void {
  if (port !== '' && !/^:\d*$/.test(port)) fail(`invalid port ${quote(port)} after host`);
}

/** An ASCII character that a host may contain. Other characters are permitted. */
const HOST_CHARACTER = /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%]/;
/** The escape of an ASCII character other than `%`. */
const ESCAPED_ASCII = /%(?!25)[0-7][0-9a-fA-F]/;

function unescapeHost(host: string): string {
  const bad = BAD_ESCAPE.exec(host);
  if (bad !== null) fail(`invalid URL escape ${quote(bad[0])}`);
  for (const character of host) {
    if (character < '\u0080' && !HOST_CHARACTER.test(character)) fail(`invalid character ${quote(character)} in host name`);
  }
  const low = ESCAPED_ASCII.exec(host);
  if (low !== null && !host.startsWith('[')) fail(`invalid URL escape ${quote(low[0])}`);
  return percentDecode(host);
}

function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  const bytes = text.replace(/%[0-9a-fA-F]{2}|[^%]+/gu, (part) =>
    part.startsWith('%') ? part.slice(1) : Buffer.from(part, 'utf8').toString('hex'),
  );
  return Buffer.from(bytes, 'hex').toString('utf8');
}

function parseUrl(text: string, work: WorkContext): UrlValue | ErrorValue {
  work.spend(text.length);
  try {
    return new UrlValue(splitUrl(text), text);
  } catch (error) {
    if (error instanceof UrlParseError)
      return new ErrorValue(`URL parse error during conversion from string: parse ${quote(text)}: ${error.message}`);
    throw error;
  }
}

function hostnameOf(host: string): string {
  if (host.startsWith('[')) return host.slice(1, Math.max(1, host.lastIndexOf(']')));
  const colon = host.indexOf(':');
  return colon < 0 ? host : host.slice(0, colon);
}

function portOf(host: string): string {
  const afterAddress = host.startsWith('[') ? host.slice(host.lastIndexOf(']') + 1) : host;
  const colon = afterAddress.lastIndexOf(':');
  return colon < 0 ? '' : afterAddress.slice(colon + 1);
}

/** A path in which every other character is escaped. */
const VALID_PATH = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:@/[\]]|%[0-9a-fA-F]{2})*$/;
/** A character that Go escapes when it encodes a path. */
const ESCAPED_PATH_CHARACTER = /[^A-Za-z0-9\-_.~$&+,/:;=@]/gu;

/** The path with all escapes that it needs. A valid path stays as it is; any other is decoded and encoded as Go does. */
function escapePath(path: string, work: WorkContext): string {
  work.spend(path.length * 4);
  if (VALID_PATH.test(path)) return path;
  return percentDecode(path).replace(ESCAPED_PATH_CHARACTER, (character) =>
    [...Buffer.from(character, 'utf8')].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

/** A map from each parameter to the list of its values. Parameters with a semicolon or an invalid escape are dropped. */
function queryParameters(query: string, work: WorkContext): Value {
  work.spend(query.length * 4);
  const valuesByName = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const equals = pair.indexOf('=');
    const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    if (BAD_ESCAPE.test(pair)) continue;
    appendToKey(valuesByName, percentDecode(name.replaceAll('+', ' ')), percentDecode(value.replaceAll('+', ' ')));
  }
  return new EntryMap(new Map([...valuesByName].map(([key, values]) => [mapKeyOf(key) ?? key, [key, new ArrayList(values)]])));
}

const isUrl: ValueGuard<UrlValue> = isOpaque(UrlValue);

/** The overloads, each with its signature, its checks of arguments, its function and its costs. */
export const URL_FUNCTIONS: readonly FunctionOverload[] = [
  unary('url(string): kubernetes.URL', isString, parseUrl, traversalCosts()),
  unary('isURL(string): bool', isString, (text, work) => !(parseUrl(text, work) instanceof ErrorValue)),
  unary('kubernetes.URL.getScheme(): string', isUrl, ({ parts }) => parts.scheme),
  unary('kubernetes.URL.getHost(): string', isUrl, ({ parts }) => parts.host),
  unary('kubernetes.URL.getHostname(): string', isUrl, ({ parts }) => hostnameOf(parts.host)),
  unary('kubernetes.URL.getPort(): string', isUrl, ({ parts }) => portOf(parts.host)),
  unary('kubernetes.URL.getEscapedPath(): string', isUrl, ({ parts }, work) => escapePath(parts.path, work)),
  unary('kubernetes.URL.getQuery(): map(string, list(string))', isUrl, ({ parts }, work) => queryParameters(parts.query, work)),
];
