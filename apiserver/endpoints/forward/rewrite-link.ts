/**
 * Rewrites a single link of a proxied page so that it leads through the proxy. Only links to the backend or to this
 * server are changed. Finding links in a page is left to link-rewriter.ts.
 */

/** The addresses of a proxy and of its backend. */
export interface ProxyAddresses {
  /** Path of the proxy, without a trailing slash: `/api/v1/nodes/n/proxy`. */
  readonly prefix: string;
  /** A URL of the backend; its path is ignored. */
  readonly backend: URL;
  /** Host and port under which the client reaches this server. */
  readonly host: string;
}

/** A scheme at the beginning of a link: `https:`. */
const SCHEME = /^([a-z][a-z\d+.-]*:)/i;
/** An absolute path (`/a`), or a host followed by one (`//host/a`, `http://host/a`). Browsers read `\` as `/`. */
const FROM_ROOT = /^(?:https?:(?=[/\\]{2}))?([/\\]{1,2})/i;

/**
 * The usual links: absolute paths that need no normalization (`/static/app.js`), without dot segments, hosts or
 * characters that have to be encoded.
 */
const PLAIN_PATH = /^(?:\/[\w~-][\w.~-]*)+\/?$/;

/**
 * The rewritten link; `undefined` for a relative link, a link to another host and a link that leads through the proxy
 * already. A link to the host of the backend becomes a path, a link to the host of this server keeps the host.
 */
export function rewriteLink(link: string, { prefix, backend, host }: ProxyAddresses): string | undefined {
  if (PLAIN_PATH.test(link)) return link.startsWith(prefix) ? undefined : prefix + link;
  // Browsers remove these characters from a URL.
  const text = link.replace(/[\t\n\r]/g, '').trim();
  const slashes = FROM_ROOT.exec(text)?.[1];
  if (slashes === undefined || !URL.canParse(text, backend.href)) return undefined;
  const hasHost = slashes.length === 2;
  const url = new URL(text, backend.href);
  const path = url.pathname + url.search + url.hash;
  const isProxied = path.startsWith(prefix);
  if (url.host === backend.host) {
    if (isProxied) return hasHost ? path : undefined;
    return prefix + path;
  }
  if (url.host !== normalizedHost(host, url.protocol) || isProxied) return undefined;
  return `${SCHEME.test(text) ? url.protocol : ''}//${url.host}${prefix}${path}`;
}

/** The host without the default port of the scheme; `undefined` when it is invalid. */
function normalizedHost(host: string, protocol: string): string | undefined {
  const text = `${protocol}//${host}`;
  return URL.canParse(text) ? new URL(text).host : undefined;
}
