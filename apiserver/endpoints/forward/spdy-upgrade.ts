/** A kubelet is asked to go on in SPDY. What is said on the connection then, and what a client hears where there is none, is its caller's. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { Backends } from './backend';
import { answerOf, type BackendAnswer } from './relay';

/** Resolves with an upgrade only where it is one to SPDY. `gone` = the client is, and with it its connection to the kubelet. */
export async function askForSpdy(
  backends: Backends,
  url: URL,
  protocols: readonly string[],
  gone: Promise<unknown>,
  more: OutgoingHttpHeaders = {},
): Promise<BackendAnswer | { readonly type: 'otherProtocol' }> {
  const headers = { ...more, connection: 'Upgrade', upgrade: 'SPDY/3.1', 'content-length': 0, 'x-stream-protocol-version': [...protocols] };
  const request = backends.open({ url, trust: 'kubelet', method: 'POST', headers, path: url.pathname + url.search });
  void gone.then(() => request.destroy());
  const answered = answerOf(request);
  request.end();
  const answer = await answered;
  if (answer.type !== 'upgraded') return answer;
  const { socket, message } = answer;
  socket.on('error', () => undefined);
  if (message.headers.upgrade?.toLowerCase() === 'spdy/3.1') return answer;
  socket.destroy();
  return { type: 'otherProtocol' };
}
