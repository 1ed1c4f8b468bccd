/**
 * HTTP/2 streams that a client opens and resets in one write. An uncaught exception would end the process, whatever the
 * credentials.
 */
import { constants } from 'node:http2';
import { connect, type TLSSocket } from 'node:tls';
import { connectionPreface, headersFrame, rawFrame, FRAME, resetFrame } from '../../support/http/raw-http2';
import { stopAfterTest } from '../../support/use-resource';
import { ADMIN } from './api-call';
import { useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const PATHS = ['/version', '/livez', CONFIGMAPS, `${CONFIGMAPS}?watch=1`, `${CONFIGMAPS}?resourceVersion=999999&timeout=1ms`, '/nothing'];
const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'CONNECT'];
const EXPECTATIONS = [undefined, '100-continue', 'nonsense'];
const CODES = [constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_INTERNAL_ERROR, constants.NGHTTP2_CANCEL];

const api = useServer();

const destroyAfterTest = stopAfterTest((socket: TLSSocket) => socket.destroy());

/** Sends the preface and the frames on a new connection. Returns a function that sends further frames. */
async function sendFrames(...frames: readonly Buffer[]): Promise<(frame: Buffer) => void> {
  const options = { host: '127.0.0.1', port: api.server.port, rejectUnauthorized: false, ALPNProtocols: ['h2'] };
  const socket = destroyAfterTest(connect(options));
  socket.on('error', () => undefined).resume();
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  socket.write(Buffer.concat([connectionPreface(), ...frames]));
  return (frame) => void socket.write(frame);
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly expect: string | undefined;
  readonly hasBody: boolean;
}

const requestsWith = ({ hasBody }: Pick<Request, 'hasBody'>): readonly Request[] =>
  METHODS.flatMap((method) => PATHS.flatMap((path) => EXPECTATIONS.map((expect) => ({ method, path, expect, hasBody }))));

/** Streams of clients have odd numbers; {@link WATCH_STREAM} is the first one. */
const streamId = (index: number): number => 2 * index + 1;
const WATCH_STREAM = streamId(0);

/** The HEADERS frame of a request. */
function requestHeaders(stream: number, { method, path, expect, hasBody }: Request): Buffer {
  const target = method === 'CONNECT' ? {} : { ':scheme': 'https', ':path': path };
  const others = { ':authority': 'x', authorization: `Bearer ${ADMIN}`, ...(expect === undefined ? {} : { expect }) };
  const headers = Object.entries({ ':method': method, ...target, ...others });
  return headersFrame(stream, headers, !hasBody);
}

describe.each(CODES)('an HTTP/2 stream that is reset with code %d right after its headers', (code) => {
  it.each([
    ['without a body', false],
    ['before its body', true],
  ])('is dropped %s, for any method, path and expectation', async (_title, hasBody) => {
    const frames = requestsWith({ hasBody }).flatMap((request, index) => {
      const stream = streamId(index);
      return [requestHeaders(stream, request), resetFrame(stream, code)];
    });
    await sendFrames(...frames);
    await api.get(`${CONFIGMAPS}?resourceVersion=999999&timeout=20ms`);
    expect((await api.get('/version')).status).toBe(200);
  });

  it('is dropped while another stream of its connection has a watch', async () => {
    const watch = { method: 'GET', path: `${CONFIGMAPS}?watch=1`, expect: undefined, hasBody: false };
    const frames = requestsWith({ hasBody: true }).flatMap((request, index) => {
      const stream = streamId(index + 1);
      return [requestHeaders(stream, request), rawFrame(FRAME.data, 0, stream, Buffer.from('{')), resetFrame(stream, code)];
    });
    const sendFrame = await sendFrames(requestHeaders(WATCH_STREAM, watch));
    frames.forEach(sendFrame);
    const body = JSON.stringify({ metadata: { generateName: 'seen-' } });
    expect((await api.post(CONFIGMAPS, body)).status).toBe(201);
    expect((await api.get('/version')).status).toBe(200);
  });
});
