/** Headers of a request that is handed on, and of its answer: what belongs to one connection stays on it, and who the client is here is nobody's business there. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { WEBSOCKET_TOKEN_PROTOCOLS } from '../../../shared/names/dialect';
import type { Exchange } from '../request/exchange';
import { sourceIps } from '../request/source-ips';

const OF_CONNECTIONS: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const OF_USERS = /^(authorization|impersonate-|x-remote-)/;

/** With those that ask for another protocol where `upgrades`. */
export function headersToBackend(exchange: Exchange, upgrades: boolean): OutgoingHttpHeaders {
  const { headers } = exchange.request;
  const sent: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':') || OF_CONNECTIONS.has(name) || OF_USERS.test(name)) continue;
    sent[name] = value;
  }
  const host = headers.host ?? headers[':authority'];
  if (typeof host === 'string') sent['host'] = host;
  sent['x-forwarded-for'] = sourceIps(exchange).join(', ');
  if (!upgrades) return sent;
  sent['connection'] = 'Upgrade';
  sent['upgrade'] = headers.upgrade;
  return withoutTokens(sent);
}

/** A token may stand among the protocols of a WebSocket. */
function withoutTokens(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const { 'sec-websocket-protocol': listed, ...others } = headers;
  if (typeof listed !== 'string') return headers;
  const left = listed.split(',').filter((protocol) => !WEBSOCKET_TOKEN_PROTOCOLS.some((prefix) => protocol.trim().startsWith(prefix)));
  return left.length === 0 ? others : { ...others, 'sec-websocket-protocol': left.join(',').trim() };
}

export function headersToClient(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => value !== undefined && !OF_CONNECTIONS.has(name)));
}
