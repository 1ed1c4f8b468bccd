/** Logs over WebSockets: subprotocols, messages and closing as on the reference server, with a fake kubelet. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type WebSocket from 'ws';
import { waitUntil } from '../../support/programs';
import { stopAfterTest } from '../../support/use-resource';
import { ADMIN, requestBytes } from './api-call';
import { openWebSocket, type WebSocketClient } from './web-socket';
import { POD, useKubelet, useKubeletServer } from './kubelet-fixture';

const TOKEN = `base64url.bearer.authorization.k8s.io.${Buffer.from(ADMIN).toString('base64url')}`;
const BINARY = 'binary.k8s.io';
const BASE64 = 'base64.binary.k8s.io';
/** A part of a long log. All buffers between the kubelet and the client hold less than half of {@link PIECES}. */
const PIECE = Buffer.alloc(1024 * 1024, 'x');
const PIECES = 64;

/** The fake kubelet in the current test: how it responds to a log request, and how many it has received. */
const kubeletState = { respond: (response: ServerResponse): unknown => response.end('one\n'), requestCount: 0 };
const terminateAfterTest = stopAfterTest((socket: WebSocket) => socket.terminate());

const api = useKubeletServer();
useKubelet(api, (kubelet) =>
  kubelet.on('request', (_request, response) => {
    kubeletState.requestCount += 1;
    kubeletState.respond(response);
  }),
);
beforeEach(() => {
  kubeletState.requestCount = 0;
  kubeletState.respond = (response) => response.end('one\n');
});

function open(protocols: readonly string[], query = ''): WebSocketClient {
  const client = openWebSocket(api, `${POD}/log${query}`, protocols);
  terminateAfterTest(client.socket);
  return client;
}

async function untilClosed(client: WebSocketClient): Promise<WebSocketClient> {
  await waitUntil('the end of the log', () => client.closeCode() !== undefined);
  return client;
}

describe('a log over a WebSocket', () => {
  test.each([
    [[], '', true],
    [[BINARY], BINARY, true],
    [[BASE64], BASE64, false],
    [[BASE64, BINARY], BASE64, false],
    [[BINARY, BASE64], BINARY, true],
    [['v4.channel.k8s.io', BINARY], BINARY, true],
    [[TOKEN, BASE64], BASE64, false],
  ])('selects from the subprotocols %j the subprotocol "%s"', async (offered, chosen, isBinary) => {
    const { socket, messages, closeCode } = await untilClosed(open(offered));
    const text = isBinary ? 'one\n' : 'b25lCg==';
    expect([socket.protocol, messages, closeCode()]).toEqual([
      chosen,
      [
        { text: '', isBinary },
        { text, isBinary },
      ],
      1000,
    ]);
  });

  test.each([[['v4.channel.k8s.io']], [[TOKEN]], [['BINARY.K8S.IO']], [['binary.platform.io']]])(
    'is rejected with 403 for the subprotocols %j',
    async (offered) => {
      expect(await open(offered).rejectionStatus()).toBe(403);
    },
  );

  test.each([
    [BINARY, [2_048, 2_048, 904]],
    [BASE64, [2_732, 2_732, 1_208]],
  ])('is sent in messages of at most 2 KiB over %s', async (protocol, lengths) => {
    const log = 'y'.repeat(5_000);
    kubeletState.respond = (response) => response.end(log);
    const { messages } = await untilClosed(open([protocol]));
    expect(messages.map(({ text }) => text.length)).toEqual([0, ...lengths]);
    const encoding = protocol === BASE64 ? 'base64' : 'utf8';
    expect(Buffer.concat(messages.map(({ text }) => Buffer.from(text, encoding))).toString()).toBe(log);
  });

  test('arrives as the kubelet writes it', async () => {
    const started: ServerResponse[] = [];
    kubeletState.respond = (response) => {
      started.push(response);
      response.write('one\n');
    };
    const client = open([], '?follow=1');
    await waitUntil('the first line', () => client.messages.length === 2);
    started[0]?.write('two\n');
    await waitUntil('the second line', () => client.messages.length === 3);
    expect(client.messages.map(({ text }) => text)).toEqual(['', 'one\n', 'two\n']);
    started[0]?.end();
  });

  test('closes normally when the kubelet breaks off its connection', async () => {
    kubeletState.respond = (response) => response.write('one\n', () => response.destroy());
    const { messages, closeCode } = await untilClosed(open([], '?follow=1'));
    expect([messages.map(({ text }) => text), closeCode()]).toEqual([['', 'one\n'], 1000]);
  });

  test('opens and closes without a line when the log is empty', async () => {
    kubeletState.respond = (response) => response.end();
    const { messages, closeCode } = await untilClosed(open([BINARY]));
    expect([messages, closeCode()]).toEqual([[{ text: '', isBinary: true }], 1000]);
  });

  test.each(['close', 'terminate'] as const)(
    'is no longer read from the kubelet after the client ends the WebSocket with %s',
    async (method) => {
      let isClosed = false;
      kubeletState.respond = (response) => {
        response.once('close', () => (isClosed = true));
        response.write('one\n');
      };
      const client = open([BINARY], '?follow=1');
      await waitUntil('the first line', () => client.messages.length === 2);
      client.socket.send('ignored');
      client.socket[method]();
      await waitUntil('the request to the kubelet to be closed', () => isClosed);
      await untilClosed(client);
    },
  );

  test('is not read from the kubelet faster than the client reads it', async () => {
    let written = 0;
    kubeletState.respond = (response) => {
      const writeNext = (): void => {
        if (written === PIECES) {
          response.end();
          return;
        }
        response.write(PIECE, () => {
          written += 1;
          writeNext();
        });
      };
      writeNext();
    };
    const client = open([BINARY]);
    await once(client.socket, 'open');
    client.socket.pause();
    let writtenBefore = -1;
    let unchangedChecks = 0;
    // The kubelet has to wait when its last write does not complete for ten checks.
    await waitUntil('the kubelet has to wait', () => {
      unchangedChecks = written > 0 && written === writtenBefore ? unchangedChecks + 1 : 0;
      writtenBefore = written;
      return unchangedChecks > 10;
    });
    expect(written).toBeLessThan(PIECES / 2);
    client.socket.resume();
    await untilClosed(client);
    expect(client.messages.reduce((sum, { text }) => sum + text.length, 0)).toBe(PIECES * PIECE.length);
  });

  test('is rejected with an HTTP status when there is no log', async () => {
    expect(await open([BINARY], '?container=none').rejectionStatus()).toBe(400);
    kubeletState.respond = (response) => response.writeHead(500).end('broken');
    expect(await open([BINARY]).rejectionStatus()).toBe(500);
  });

  test.each([
    ['websocket', 'HTTP/1.1 400 '],
    ['other', 'HTTP/1.1 200 '],
  ])('responds to Upgrade: %s without a handshake with %s', async (upgrade, expected) => {
    const socket = api.openSocket();
    socket.write(requestBytes(`GET ${POD}/log`, ['Connection: Upgrade', `Upgrade: ${upgrade}`]));
    let received = '';
    socket.on('data', (data: Buffer) => (received += data.toString()));
    await once(socket, 'close');
    expect(received.slice(0, expected.length)).toBe(expected);
  });

  test('is plain text for a client that requests no WebSocket', async () => {
    expect(await api.get(`${POD}/log`)).toMatchObject({ status: 200, text: 'one\n' });
    expect(kubeletState.requestCount).toBe(1);
  });
});
