/** A WebSocket client that records its messages, its close code, or the status of a rejection. */
import WebSocket, { type ClientOptions } from 'ws';
import { ADMIN } from './api-call';
import type { Fixture } from './fixture';

export interface WebSocketClient {
  readonly socket: WebSocket;
  /** Texts are latin1: one character for each byte. */
  readonly messages: { readonly text: string; readonly isBinary: boolean }[];
  /** `undefined` while the WebSocket is open. */
  readonly closeCode: () => number | undefined;
  /** The status of a response that rejects the upgrade. */
  rejectionStatus(): Promise<number | undefined>;
}

/** Opens a WebSocket as an administrator, unless the options have other headers. */
export function openWebSocket(api: Fixture, path: string, protocols: readonly string[], options: ClientOptions = {}): WebSocketClient {
  const settings = { rejectUnauthorized: false, headers: { authorization: `Bearer ${ADMIN}` }, ...options };
  const socket = new WebSocket(`wss://127.0.0.1:${api.server.port}${path}`, [...protocols], settings);
  const messages: WebSocketClient['messages'] = [];
  let closed: number | undefined;
  socket.on('error', () => undefined);
  socket.on('message', (data: Buffer, isBinary) => messages.push({ text: data.toString('latin1'), isBinary }));
  socket.on('close', (closeCode) => (closed = closeCode));
  return {
    socket,
    messages,
    closeCode: () => closed,
    async rejectionStatus() {
      const status: number | undefined = await new Promise((resolve) =>
        socket.once('unexpected-response', (_request, response) => resolve(response.statusCode)),
      );
      socket.terminate();
      return status;
    },
  };
}
