/** Requests an upgrade to SPDY from a kubelet. Callers handle the streams and report errors to the client. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { Backends } from './backend';
import { awaitResponse, type BackendResponse } from './relay';

interface SpdyUpgradeRequest {
  readonly url: URL;
  /** The stream protocols that the client of the kubelet supports, in order of preference. */
  readonly protocols: readonly string[];
  readonly extraHeaders?: OutgoingHttpHeaders;
  /** Resolves when the client has disconnected; the request to the kubelet is then destroyed. */
  readonly clientClosed: Promise<unknown>;
}

/**
 * Resolves with an upgrade only when the kubelet switches to SPDY. Never rejects, except with 429 of {@link
 * Backends.open}.
 */
export async function requestSpdyUpgrade(
  backends: Backends,
  { url, protocols, extraHeaders = {}, clientClosed }: SpdyUpgradeRequest,
): Promise<BackendResponse | { readonly type: 'otherProtocol' }> {
  const headers = {
    ...extraHeaders,
    connection: 'Upgrade',
    upgrade: 'SPDY/3.1',
    'content-length': 0,
    'x-stream-protocol-version': [...protocols],
  };
  const request = backends.open({ url, trust: 'kubelet', method: 'POST', headers, path: url.pathname + url.search });
  void clientClosed.then(() => request.destroy());
  const pending = awaitResponse(request);
  request.end();
  const response = await pending;
  if (response.type !== 'upgraded') return response;
  const { socket, message } = response;
  socket.on('error', () => undefined);
  if (message.headers.upgrade?.toLowerCase() === 'spdy/3.1') return response;
  socket.destroy();
  return { type: 'otherProtocol' };
}
