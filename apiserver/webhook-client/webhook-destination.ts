/**
 * Finds where the call of a webhook goes: the server of its connection, and the names in its headers, certificate and error
 * messages. Opens no connection.
 */
import { hostUrl, parseHost } from '../../shared/values/network/host-url';
import type { CalledServer } from './reply';
import type { Resolve } from './service-resolver';
import type { WebhookTarget, WebhookTargetAddress } from './webhook-target';

/** The target of one call. */
export interface WebhookDestination extends CalledServer {
  /** With the query. */
  readonly path: string;
  /** The `Host` header, by which the credentials are chosen too. */
  readonly host: string;
  /** The name that the certificate must have; `undefined` for the host of `server`. */
  readonly servername: string | undefined;
}

/** Why a call has no destination; `isCallFailure` as in `Reply`. */
export interface DestinationFailure {
  readonly error: string;
  readonly isCallFailure: boolean;
}

/** `query` is empty or starts with `?`. */
export function findDestination({ address }: WebhookTarget, resolve: Resolve, query = ''): WebhookDestination | DestinationFailure {
  if (address === undefined) return { error: 'webhook configuration must have either service or URL', isCallFailure: false };
  return address.type === 'url' ? urlDestination(address.url, query) : serviceDestination(address, resolve, query);
}

function urlDestination(text: string, query: string): WebhookDestination {
  const server = new URL(text);
  const path = server.pathname + query;
  // Without the user name and the password of the URL, because this form is shown in messages.
  const url = `${server.protocol}//${server.host}${path}`;
  return { url, server, path, host: server.host, servername: undefined };
}

type ServiceAddress = Extract<WebhookTargetAddress, { type: 'service' }>;

function serviceDestination(address: ServiceAddress, resolve: Resolve, query: string): WebhookDestination | DestinationFailure {
  const { namespace, name, port } = address;
  const servername = `${name}.${namespace}.svc`;
  const host = `${servername}:${port}`;
  const path = (address.path === '' ? '/' : address.path) + query;
  const url = `https://${host}${path}`;
  const resolved = resolve(address);
  if ('error' in resolved) return { error: `Post "${url}": ${resolved.error}`, isCallFailure: true };
  const resolvedHost = parseHost(resolved.host);
  if (resolvedHost === undefined) return { error: `Post "${url}": lookup ${resolved.host}: no such host`, isCallFailure: true };
  return { url, server: hostUrl('https', resolvedHost, resolved.port), path, host, servername };
}
