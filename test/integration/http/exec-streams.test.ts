/**
 * Commands over WebSockets with the subprotocol v5.channel.k8s.io, translated to SPDY for a kubelet: the bytes on both
 * sides, as recorded from upstream.
 */
import WebSocket from 'ws';
import { waitUntil } from '../../support/programs';
import { uint32Bytes } from '../../support/http/raw-http2';
import { spdyFrame, startSpdyKubelet, type RunningCommand } from '../../support/servers/spdy-kubelet';
import { stopAfterTest, useClosable } from '../../support/use-resource';
import { ADMIN } from './api-call';
import { tlsPairOf, issueServerCertificate } from './issue-certificates';
import { setKubeletPort, POD, createPodOnKubelet, useKubeletServer } from './kubelet-fixture';

const EXEC = `${POD}/exec?command=ls&stdin=1&stdout=1&stderr=1`;
const V5 = 'v5.channel.k8s.io';
/** Types of control frames (SPDY/3.1, section 2.6), and the status of RST_STREAM with which a receiver cancels a stream. */
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;
const CANCEL = 5;
/** The streams of a command have odd numbers in the order error, stdin, stdout, stderr. */
const STDERR_STREAM = 7;
/** The number of streams of {@link EXEC}. */
const EXEC_STREAMS = 4;
/** The start of a control frame (0x80) of SPDY/3 of the type 4, which announces 0xffffff bytes. */
const TOO_LONG_FRAME = Buffer.from([0x80, 3, 0, 4, 0, 0xff, 0xff, 0xff, 1]);
/** The message that closes the stream of a channel; without a channel it is malformed. */
const closeSignal = (...channel: readonly number[]): Buffer => Buffer.of(255, ...channel);
const SUCCESS_STATUS = '{"metadata":{},"status":"Success"}';

/** The client's connections; those that a test leaves open are closed after it. */
const terminateAfterTest = stopAfterTest((socket: WebSocket) => socket.terminate());

const api = useKubeletServer();
const kubelet = useClosable(async () => {
  const started = await startSpdyKubelet(tlsPairOf(await issueServerCertificate(api.authority)));
  await createPodOnKubelet(api, started.port);
  return started;
});
beforeEach(() => {
  kubelet().received.length = 0;
  kubelet().whenOpened(0, () => undefined);
});

/** Waits until the kubelet has no connections. */
afterEach(async () => {
  await waitUntil('the connections have ended', () => kubelet().connections() === 0);
});

interface Session {
  readonly socket: WebSocket;
  /** Messages as `<channel> <text>`, and `closed <code>` at the end. */
  readonly received: string[];
}

async function open(
  path: string,
  protocols: string | string[] = V5,
  onOpen: (socket: WebSocket) => void = () => undefined,
): Promise<Session> {
  const headers = { authorization: `Bearer ${ADMIN}` };
  const socket = new WebSocket(`wss://127.0.0.1:${api.server.port}${path}`, protocols, { headers, rejectUnauthorized: false });
  terminateAfterTest(socket);
  const received: string[] = [];
  socket.on('message', (data: Buffer) => received.push(`${data[0] ?? ''} ${data.subarray(1).toString()}`));
  socket.on('close', (code) => received.push(`closed ${code}`));
  socket.once('open', () => onOpen(socket));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { socket, received };
}

/**
 * Runs a command to its end and returns the messages that the client received. The kubelet calls `respond` once it has
 * so many streams.
 */
async function runCommand(path: string, streams: number, respond: (command: RunningCommand) => void): Promise<readonly string[]> {
  kubelet().whenOpened(streams, respond);
  const { received } = await open(path);
  await waitUntil('the end', () => received.some((line) => line.startsWith('closed')));
  return received;
}

const waitForKubelet = (line: string): Promise<unknown> => waitUntil(line, () => kubelet().received.includes(line));

function endStreams(command: RunningCommand, error: string): void {
  command.sendLast('error', error);
  for (const stream of ['stdout', 'stderr']) command.sendLast(stream, '');
}

describe('a command', () => {
  test('starts over SPDY and opens its streams in their order', async () => {
    const received = await runCommand(EXEC, EXEC_STREAMS, (command) => {
      command.send('stdout', 'hi');
      command.send('stderr', 'no');
      endStreams(command, SUCCESS_STATUS);
    });
    expect(received).toEqual(['1 ', '1 hi', '2 no', `3 ${SUCCESS_STATUS}`, 'closed 1000']);
    expect(kubelet().received.slice(0, 1 + EXEC_STREAMS)).toEqual([
      'POST /exec/default/p/c?command=ls&error=1&input=1&output=1 SPDY/3.1',
      ...['error', 'stdin', 'stdout', 'stderr'].map((name) => `opens ${name}`),
    ]);
    expect(kubelet().offeredProtocols).toEqual([V5, 'v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io']);
  });

  test.each([
    [`${POD}/exec?command=ls&stdin=1&stdout=1&stderr=1&tty=1`, ['error', 'stdin', 'stdout', 'resize'], '1 '],
    [`${POD}/attach?stderr=1`, ['error', 'stderr'], '2 '],
    [`${POD}/exec?command=ls&stdin=1`, ['error', 'stdin'], '3 '],
  ])('of %s opens the streams %j', async (path, streams, first) => {
    const session = await open(path);
    await waitForKubelet(`opens ${streams.at(-1) ?? ''}`);
    expect(kubelet().received.slice(1)).toEqual(streams.map((name) => `opens ${name}`));
    expect(session.received).toEqual([first]);
    session.socket.terminate();
  });

  const INTERNAL = '{"metadata":{},"status":"Failure","message":"Internal error occurred: ';
  const failed = (reason: string): string =>
    `${INTERNAL}${reason}","reason":"InternalError","details":{"causes":[{"message":"${reason}"}]},"code":500}`;
  const exited = (message: string): string =>
    `{"metadata":{},"status":"Failure","message":"${message}","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"7"}]}}`;
  const SYNTAX = `error stream protocol error: invalid character 'o' looking for beginning of value in \\"oops\\"`;

  test.each([
    ['an exit code', exited('x'), exited('command terminated with non-zero exit code: command terminated with exit code 7')],
    ['another failure', '{"status":"Failure","message":"so"}', failed('so')],
    ['no JSON', 'oops', failed(SYNTAX)],
    ['nothing', '', SUCCESS_STATUS],
  ])('that its kubelet ends with %s has a Status on the error channel', async (_title, kubeletStatus, clientStatus) => {
    const received = await runCommand(EXEC, EXEC_STREAMS, (command) => endStreams(command, kubeletStatus));
    expect(received).toEqual(['1 ', `3 ${clientStatus}`, 'closed 1000']);
  });

  test('ends when its output ends, not when its status arrives', async () => {
    const received = await runCommand(EXEC, EXEC_STREAMS, (command) => {
      command.sendLast('error', SUCCESS_STATUS);
      command.send('stdout', 'late');
      command.sendLast('stdout', '');
      command.sendFrame(spdyFrame(RST_STREAM, Buffer.concat([uint32Bytes(STDERR_STREAM), uint32Bytes(CANCEL)])));
    });
    expect(received).toEqual(['1 ', '1 late', `3 ${SUCCESS_STATUS}`, 'closed 1000']);
  });

  test.each([
    ['cuts the connection', (command: RunningCommand) => command.disconnect()],
    ['sends GOAWAY', (command: RunningCommand) => command.sendFrame(spdyFrame(GOAWAY, Buffer.alloc(8)))],
  ])('ends with success when its kubelet %s', async (_title, respond) => {
    expect(await runCommand(EXEC, EXEC_STREAMS, respond)).toEqual(['1 ', `3 ${SUCCESS_STATUS}`, 'closed 1000']);
  });

  test('receives the input that was sent before its kubelet was connected', async () => {
    kubelet().whenOpened(EXEC_STREAMS, () => undefined);
    await open(EXEC, V5, (socket) => {
      socket.send(Buffer.from('\0early'));
      socket.send(closeSignal(0));
    });
    await waitForKubelet('stdin early');
    await waitForKubelet('stdin ends');
  });

  test('that its kubelet rejects ends with an internal error', async () => {
    kubelet().rejectUpgrades('nope');
    const { received } = await open(EXEC);
    await waitUntil('the end', () => received.includes('closed 1000'));
    expect(received[1]).toBe(`3 ${failed('unable to upgrade connection: nope')}`);
  });

  test('ends with an internal error when its kubelet cannot be reached', async () => {
    await setKubeletPort(api, 1);
    const unreachable = await runCommand(EXEC, EXEC_STREAMS, () => undefined);
    expect(unreachable[1]).toContain(
      'error sending request: Post \\"https://127.0.0.1:1/exec/default/p/c?command=ls&error=1&input=1&output=1\\": dial tcp 127.0.0.1:1: connect: connection refused',
    );
    await setKubeletPort(api, kubelet().port);
  });
});

describe('the input of a command', () => {
  test('is sent until its stream is closed, without messages for channels that cannot be written', async () => {
    const { socket } = await open(EXEC);
    await waitForKubelet('opens stderr');
    for (const message of ['\0AB', '\0', '', '\x01x', '\x09x']) socket.send(Buffer.from(message));
    socket.send('\0text');
    socket.send(closeSignal(1));
    socket.send(closeSignal(0));
    socket.send(Buffer.from('\0C'));
    await waitForKubelet('stdin ends');
    // After the request and the four streams.
    expect(kubelet().received.slice(1 + EXEC_STREAMS)).toEqual(['stdin AB', 'stdin text', 'stdin ends']);
    socket.close();
    await waitForKubelet(`frame ${GOAWAY} 0000000000000000`);
    expect(kubelet().received).not.toContain('stdin C');
  });

  test('includes sizes of the terminal, unless they cannot be parsed', async () => {
    const { socket } = await open(`${POD}/exec?command=ls&stdin=1&stdout=1&tty=1`);
    await waitForKubelet('opens resize');
    for (const message of ['\x04{"Width":80,"Height":24}', '\x04nonsense', '\x04{"Width":81,"Height":25}', '\0B'])
      socket.send(Buffer.from(message));
    await waitForKubelet('stdin B');
    // After the request and the four streams, of which `resize` takes the place of stderr.
    expect(kubelet().received.slice(1 + EXEC_STREAMS)).toEqual(['resize {"Width":80,"Height":24}\n', 'stdin B']);
    socket.terminate();
    await waitForKubelet('stdin ends');
  });

  test('ends with the connection on a close signal without a channel', async () => {
    const { socket, received } = await open(EXEC);
    await waitForKubelet('opens stderr');
    socket.send(closeSignal());
    await waitUntil('the end', () => received.includes('closed 1000'));
    await waitForKubelet('stdin ends');
  });
});

test('a SPDY ping of the kubelet gets a pong', async () => {
  kubelet().whenOpened(EXEC_STREAMS, (command) => command.sendFrame(spdyFrame(PING, uint32Bytes(2))));
  await open(EXEC);
  await waitForKubelet(`frame ${PING} 00000002`);
});

test('megabytes are sent in both directions', async () => {
  const size = 3_000_000;
  let output = '';
  kubelet().whenOpened(EXEC_STREAMS, (command) => {
    command.send('stdout', 'x'.repeat(size));
    command.sendLast('stdout', '');
    command.sendLast('stderr', '');
  });
  const { socket, received } = await open(EXEC);
  socket.send(Buffer.concat([Buffer.from([0]), Buffer.alloc(size, 'y')]));
  socket.send(closeSignal(0));
  await waitForKubelet('stdin ends');
  await waitUntil('all of the output', () => (output = received.map((line) => line.slice(2)).join('')).length >= size);
  const input = kubelet().received.filter((line) => line.startsWith('stdin y'));
  expect([output.length, input.join('').replace(/stdin /g, '').length]).toEqual([size, size]);
  socket.terminate();
});

test('a frame over the maximum length ends the connection', async () => {
  const received = await runCommand(EXEC, EXEC_STREAMS, (command) => command.sendFrame(TOO_LONG_FRAME));
  expect(received).toEqual(['1 ', `3 ${SUCCESS_STATUS}`, 'closed 1000']);
});

test.each([[['v4.channel.k8s.io', V5]], [[V5, 'v4.channel.k8s.io']]])(
  'of the subprotocols %j the one that can close streams is selected',
  async (protocols) => {
    const { socket } = await open(EXEC, protocols);
    expect(socket.protocol).toBe(V5);
    socket.terminate();
  },
);

test.each([
  [`${POD}/portforward?ports=80`, V5],
  [EXEC, 'v4.channel.k8s.io'],
  [EXEC, 'v5.base64.channel.k8s.io'],
])('%s with the subprotocol %s is passed on as a WebSocket', async (path, protocol) => {
  await open(path, protocol).catch(() => undefined);
  expect(kubelet().received[0]).toMatch(/^GET .* websocket$/);
});
