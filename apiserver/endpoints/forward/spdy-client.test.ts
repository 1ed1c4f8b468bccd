import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { SpdyClient } from './spdy-client';

let close = (): void => undefined;
afterEach(() => close());

const data = (stream: number, text: string, isLast: boolean): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(stream);
  head.writeUInt32BE((isLast ? 2 ** 24 : 0) + text.length, 4);
  return Buffer.concat([head, Buffer.from(text)]);
};

test('SpdyClient receives the last data of a peer that has reset the connection, although it writes to it', async () => {
  const received: string[] = [];
  let onStreamEnd: () => void = () => undefined;
  const end = new Promise<void>((resolve) => (onStreamEnd = resolve));
  const connection = await new Promise<{ socket: Socket; accepted: Socket }>((resolve) => {
    const server = createServer((accepted) => resolve({ socket, accepted }));
    let socket: Socket;
    close = () => void server.close();
    server.listen(0, '127.0.0.1', () => {
      const { port }: AddressInfo = Object(server.address());
      socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
    });
  });
  const spdy = new SpdyClient(connection.socket, { onData: (_, bytes) => void received.push(bytes.toString()), onStreamEnd });
  const stream = spdy.openStream({ streamtype: 'stdin' });
  await new Promise((resolve) => connection.accepted.once('readable', resolve));
  connection.accepted.write(data(stream, 'last data', true));
  connection.accepted.resetAndDestroy();
  spdy.write(stream, Buffer.alloc(100_000));
  await end;
  expect(received).toEqual(['last data']);
});
