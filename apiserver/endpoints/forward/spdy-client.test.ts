/** The order of reading and writing when a kubelet disconnects, over a TCP connection. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { SpdyClient } from './spdy-client';

/** A data frame that is the last of its stream: four bytes of stream, the flag FIN, three bytes of length, the text. */
function lastDataFrame(stream: number, text: string): Buffer {
  const head = Buffer.from([0, 0, 0, stream, 1, 0, 0, text.length]);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** Both ends of a TCP connection. */
async function openConnection(): Promise<{ readonly client: Socket; readonly peer: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: AddressInfo = Object(server.address());
  const client = connect(port, '127.0.0.1');
  client.on('error', () => undefined);
  const peer = await new Promise<Socket>((resolve) => server.once('connection', resolve));
  server.close();
  return { client, peer };
}

test('SpdyClient receives the last data of a peer that has reset the connection, although it writes to it', async () => {
  const { client, peer } = await openConnection();
  const received: string[] = [];
  let onStreamEnd: () => void = () => undefined;
  const streamEnd = new Promise<void>((resolve) => (onStreamEnd = resolve));
  const spdy = new SpdyClient(client, { onData: (_, bytes) => void received.push(bytes.toString()), onStreamEnd });
  const stream = spdy.openStream({ streamtype: 'stdin' });
  await once(peer, 'readable');
  peer.write(lastDataFrame(stream, 'last data'));
  peer.resetAndDestroy();
  spdy.write(stream, Buffer.alloc(100_000));
  await streamEnd;
  expect(received).toEqual(['last data']);
});
