/** The HPACK subset of the client, against Node's HTTP/2 server and for any bytes. */
import * as fc from 'fast-check';
import { createServer, type IncomingHttpHeaders } from 'node:http2';
import { connect } from 'node:net';
import { listen } from '../../../../test/support/servers/listen';
import { useClosable } from '../../../../test/support/use-resource';
import { CONNECTION_PREFACE, encodeFrame, encodeSettingsFrame, Flag, FrameReader, FrameType, Setting, type Frame } from './frames';
import { decodeResponseHeaders, encodeRequestHeaders, MalformedHeadersError, TABLE_SIZE_ZERO } from './headers';
import { systemClock } from '../../../../shared/runtime/clock';
import { Http2ClientSession } from './session';

const NO_HEADERS = { status: undefined, grpcStatus: undefined, grpcMessage: undefined };

describe('decodeResponseHeaders', () => {
  it.each<[title: string, hex: string, expected: object]>([
    ['an indexed status', '88', { status: '200' }],
    ['a literal status', '0803353033', { status: '503' }],
    ['a literal status with incremental indexing', '4803353033', { status: '503' }],
    ['a literal status that is never indexed', '1803353033', { status: '503' }],
    ['literal names and values', '000b677270632d737461747573023133', { grpcStatus: '13' }],
    ['Huffman-coded names and values', '40889acac8b21234da8f013040899acac8b5254207317f00', { grpcStatus: '0', grpcMessage: '' }],
    ['a table size update to 0', '208e', { status: '500' }],
    ['an unrelated header', '5f8b1d75d0620d263d4c4d6564', {}],
  ])('reads %s', (_title, hex, expected) => {
    expect(decodeResponseHeaders(Buffer.from(hex, 'hex'))).toEqual({ ...NO_HEADERS, ...expected });
  });

  it.each<[title: string, hex: string]>([
    ['a table size update over the limit', '3f61'],
    ['an index outside the table', 'be'],
    ['index 0', '80'],
    ['a truncated string', '0805353033'],
    ['a truncated field', '08'],
    ['an integer without end', '7fffffffffffff'],
  ])('rejects %s', (_title, hex) => {
    expect(() => decodeResponseHeaders(Buffer.from(hex, 'hex'))).toThrow(MalformedHeadersError);
  });

  it('throws only MalformedHeadersError for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          decodeResponseHeaders(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedHeadersError);
        }
      }),
    );
  });
});

describe('header codec with a Node server', () => {
  /** A server that responds with `message` as error message. */
  const server = useClosable(async () => {
    const received: IncomingHttpHeaders[] = [];
    const state = { message: '' };
    const http2Server = createServer();
    http2Server.on('stream', (stream, headers) => {
      received.push(headers);
      const status = { 'grpc-status': '7', 'grpc-message': state.message };
      stream.respond({ ':status': 200, ...status, server: 'x', date: 'now' }, { endStream: true });
    });
    return { port: await listen(http2Server), received, state, close: () => http2Server.close() };
  });

  it('sends request headers that the server reads', async () => {
    const path = `/etcdserverpb.KV/${'R'.repeat(300)}`;
    const session = new Http2ClientSession({
      socket: connect(server().port, '127.0.0.1'),
      peer: { scheme: 'http', authority: 'member:2379' },
      clock: systemClock,
      onClosing: () => undefined,
    });
    await new Promise<void>((resolve, reject) => {
      session.call(path, Buffer.alloc(5), { onResponse: () => resolve(), onFailure: ({ reason }) => reject(new Error(reason)) });
    });
    session.destroy();
    const expected = {
      ':method': 'POST',
      ':scheme': 'http',
      ':path': path,
      ':authority': 'member:2379',
      'content-type': 'application/grpc',
      te: 'trailers',
    };
    expect(server().received).toEqual([expect.objectContaining(expected)]);
  });

  it('reads any printable text in grpc-message', async () => {
    const printableCharacters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index));
    const texts = fc.sample(fc.string({ unit: fc.constantFrom(...printableCharacters), maxLength: 60 }), 200);
    // Header values have no spaces at their ends.
    for (const text of [printableCharacters.join(''), ...texts].map((line) => line.trim())) {
      server().state.message = text;
      expect(decodeResponseHeaders(await receiveHeaderBlock(server().port))).toEqual({ status: '200', grpcStatus: '7', grpcMessage: text });
    }
  });
});

/** The header block of the server's response to one call on a new connection. */
function receiveHeaderBlock(port: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const reader = new FrameReader(({ type, payload }: Frame) => {
      if (type !== FrameType.headers) return;
      resolve(Buffer.from(payload));
      socket.destroy();
    });
    socket.on('data', (chunk: Buffer) => reader.feed(chunk));
    socket.on('error', reject);
    const headers = Buffer.concat([TABLE_SIZE_ZERO, encodeRequestHeaders('http', 'member', '/a/B')]);
    const request = encodeFrame(FrameType.headers, Flag.endHeaders | Flag.endStream, 1, headers);
    socket.write(Buffer.concat([CONNECTION_PREFACE, encodeSettingsFrame([[Setting.headerTableSize, 0]]), request]));
  });
}
