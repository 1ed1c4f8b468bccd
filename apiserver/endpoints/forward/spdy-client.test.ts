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

test('last words are heard although the other side has closed when something is written', async () => {
  const heard: string[] = [];
  let ended: () => void = () => undefined;
  const end = new Promise<void>((resolve) => (ended = resolve));
  const other = await new Promise<{ socket: Socket; accepted: Socket }>((resolve) => {
    const server = createServer((accepted) => resolve({ socket, accepted }));
    let socket: Socket;
    close = () => void server.close();
    server.listen(0, '127.0.0.1', () => {
      const { port }: AddressInfo = Object(server.address());
      socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
    });
  });
  const spdy = new SpdyClient(other.socket, { data: (_, bytes) => void heard.push(bytes.toString()), ended });
  const stream = spdy.openStream({ streamtype: 'stdin' });
  await new Promise((resolve) => other.accepted.once('readable', resolve));
  other.accepted.write(data(stream, 'last words', true));
  other.accepted.resetAndDestroy();
  spdy.write(stream, Buffer.alloc(100_000));
  await end;
  expect(heard).toEqual(['last words']);
});
