/** WebSockets of clients: the messages that they receive, and how they are closed or rejected. */
import WebSocket, { type ClientOptions } from 'ws';
import { ADMIN } from './call';
import type { Fixture } from './fixture';

export interface WebSocketClient {
  readonly socket: WebSocket;
  /** Texts with a character for each byte. */
  readonly messages: { readonly text: string; readonly isBinary: boolean }[];
  /** Of the end; undefined while it is open. */
  readonly code: () => number | undefined;
  /** The status of a response that opens no WebSocket. */
  refusal(): Promise<number | undefined>;
}

/** As an administrator, unless the options have other headers. */
export function openWebSocket(api: Fixture, path: string, protocols: readonly string[], options: ClientOptions = {}): WebSocketClient {
  const settings = { rejectUnauthorized: false, headers: { authorization: `Bearer ${ADMIN}` }, ...options };
  const socket = new WebSocket(`wss://127.0.0.1:${api.server.port}${path}`, [...protocols], settings);
  const messages: WebSocketClient['messages'] = [];
  let closed: number | undefined;
  socket.on('error', () => undefined);
  socket.on('message', (data: Buffer, isBinary) => messages.push({ text: data.toString('latin1'), isBinary }));
  socket.on('close', (code) => (closed = code));
  return {
    socket,
    messages,
    code: () => closed,
    async refusal() {
      const status: number | undefined = await new Promise((resolve) =>
        socket.once('unexpected-response', (_request, response) => resolve(response.statusCode)),
      );
      socket.terminate();
      return status;
    },
  };
}
