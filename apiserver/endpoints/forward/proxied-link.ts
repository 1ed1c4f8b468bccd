/** Where a link of a proxied page leads once it goes through the proxy. Decides about one URL; reads no page. */

/** A proxy, as its client and its backend see it. */
export interface ProxyPlace {
  /** Path of the proxy, without a slash at the end: `/api/v1/nodes/n/proxy`. */
  readonly prefix: string;
  /** Of the backend; the path does not count. */
  readonly backend: URL;
  /** Host and port under which the client reaches this server. */
  readonly host: string;
}

const SCHEME = /^([a-z][a-z\d+.-]*:)/i;
/** A path from the root, or a host before it. Browsers take `\` for `/`. */
const FROM_ROOT = /^(?:https?:(?=[/\\]{2}))?([/\\]{1,2})/i;

/** A path that no browser understands as another one: without dots between slashes, hosts and what has to be encoded. The usual case, and cheap. */
const PLAIN_PATH = /^(?:\/[\w~-][\w.~-]*)+\/?$/;

/**
 * The rewritten link; `undefined` when it stays as it is: relative links, links to other hosts, and those that lead through the proxy already. A link to the backend's
 * host loses the host, one to this server's keeps it.
 */
export function rewriteLink(link: string, { prefix, backend, host }: ProxyPlace): string | undefined {
  if (PLAIN_PATH.test(link)) return link.startsWith(prefix) ? undefined : prefix + link;
  // Browsers remove these from an URL.
  const text = link.replace(/[\t\n\r]/g, '').trim();
  const slashes = FROM_ROOT.exec(text)?.[1];
  if (slashes === undefined || !URL.canParse(text, backend.href)) return undefined;
  const hasHost = slashes.length === 2;
  const url = new URL(text, backend.href);
  const path = url.pathname + url.search + url.hash;
  const isThrough = path.startsWith(prefix);
  if (url.host === backend.host) {
    if (isThrough) return hasHost ? path : undefined;
    return prefix + path;
  }
  if (url.host !== hostOf(host, url.protocol) || isThrough) return undefined;
  return `${SCHEME.test(text) ? url.protocol : ''}//${url.host}${prefix}${path}`;
}

/** Without the default port of the scheme. */
function hostOf(host: string, protocol: string): string | undefined {
  const text = `${protocol}//${host}`;
  return URL.canParse(text) ? new URL(text).host : undefined;
}
