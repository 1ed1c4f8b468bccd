/** Commands over WebSockets whose streams can be closed, told to a kubelet in SPDY: what both sides hear, as recorded of the reference. */
import WebSocket from 'ws';
import { waitUntil } from '../../support/programs';
import { number32, spdyFrame, startSpdyKubelet, type RunningCommand } from '../../support/spdy-kubelet';
import { useClosable } from '../../support/use-resource';
import { ADMIN } from './call';
import { pairOf, serverOf } from './fixture';
import { moveKubelet, POD, runPod, useKubeletServer } from './kubelet-fixture';

const EXEC = `${POD}/exec?command=ls&stdin=1&stdout=1&stderr=1`;
const V5 = 'v5.channel.k8s.io';
const ENDED_WELL = '{"metadata":{},"status":"Success"}';

const api = useKubeletServer();
const kubelet = useClosable(async () => {
  const started = await startSpdyKubelet(pairOf(await serverOf(api.authority)));
  await runPod(api, started.port);
  return started;
});
beforeEach(() => {
  kubelet().heard.length = 0;
  kubelet().behave(0, () => undefined);
});

/** Until nobody is left. */
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.terminate();
  await waitUntil('the connections have ended', () => kubelet().connections() === 0);
});

const opened: WebSocket[] = [];

interface Session {
  readonly socket: WebSocket;
  /** Messages, as the number of their stream and their text, and at last how it was closed. */
  readonly heard: string[];
}

async function open(
  path: string,
  protocols: string | string[] = V5,
  atOnce: (socket: WebSocket) => void = () => undefined,
): Promise<Session> {
  const headers = { authorization: `Bearer ${ADMIN}` };
  const socket = new WebSocket(`wss://127.0.0.1:${api.server.port}${path}`, protocols, { headers, rejectUnauthorized: false });
  opened.push(socket);
  const heard: string[] = [];
  socket.on('message', (data: Buffer) => heard.push(`${data[0] ?? ''} ${data.subarray(1).toString()}`));
  socket.on('close', (code) => heard.push(`closed ${code}`));
  socket.once('open', () => atOnce(socket));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { socket, heard };
}

/** What a client hears of a command from beginning to end. */
async function heardOf(path: string, streams: number, then: (command: RunningCommand) => void): Promise<readonly string[]> {
  kubelet().behave(streams, then);
  const { heard } = await open(path);
  await waitUntil('the end', () => heard.some((line) => line.startsWith('closed')));
  return heard;
}

const until = (what: string): Promise<unknown> => waitUntil(what, () => kubelet().heard.includes(what));

function endAll(command: RunningCommand, error: string): void {
  command.say('error', error, true);
  for (const stream of ['stdout', 'stderr']) command.say(stream, '', true);
}

describe('a command', () => {
  test('starts over SPDY and opens its streams in their order', async () => {
    const heard = await heardOf(EXEC, 4, (command) => {
      command.say('stdout', 'hi');
      command.say('stderr', 'no');
      endAll(command, ENDED_WELL);
    });
    expect(heard).toEqual(['1 ', '1 hi', '2 no', `3 ${ENDED_WELL}`, 'closed 1000']);
    expect(kubelet().heard.slice(0, 5)).toEqual([
      'POST /exec/default/p/c?command=ls&error=1&input=1&output=1 SPDY/3.1',
      ...['error', 'stdin', 'stdout', 'stderr'].map((name) => `opens ${name}`),
    ]);
    expect(kubelet().offered).toEqual([V5, 'v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io']);
  });

  test.each([
    [`${POD}/exec?command=ls&stdin=1&stdout=1&stderr=1&tty=1`, ['error', 'stdin', 'stdout', 'resize'], '1 '],
    [`${POD}/attach?stderr=1`, ['error', 'stderr'], '2 '],
    [`${POD}/exec?command=ls&stdin=1`, ['error', 'stdin'], '3 '],
  ])('of %s opens the streams %j', async (path, streams, first) => {
    const session = await open(path);
    await until(`opens ${streams.at(-1) ?? ''}`);
    expect(kubelet().heard.slice(1)).toEqual(streams.map((name) => `opens ${name}`));
    expect(session.heard).toEqual([first]);
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
    ['nothing', '', ENDED_WELL],
  ])('whose kubelet ends it with %s has a Status on the error channel', async (_what, said, told) => {
    const heard = await heardOf(EXEC, 4, (command) => endAll(command, said));
    expect(heard).toEqual(['1 ', `3 ${told}`, 'closed 1000']);
  });

  test('ends when its output ends, not when its status arrives', async () => {
    const heard = await heardOf(EXEC, 4, (command) => {
      command.say('error', ENDED_WELL, true);
      command.say('stdout', 'late');
      command.say('stdout', '', true);
      command.raw(spdyFrame(3, Buffer.concat([number32(7), number32(5)])));
    });
    expect(heard).toEqual(['1 ', '1 late', `3 ${ENDED_WELL}`, 'closed 1000']);
  });

  test.each([
    ['is cut', (command: RunningCommand) => command.cut()],
    ['says goodbye', (command: RunningCommand) => command.raw(spdyFrame(7, Buffer.alloc(8)))],
  ])('whose kubelet %s ends with success', async (_what, then) => {
    expect(await heardOf(EXEC, 4, then)).toEqual(['1 ', `3 ${ENDED_WELL}`, 'closed 1000']);
  });

  test('receives the input that was sent before its kubelet was connected', async () => {
    kubelet().behave(4, () => undefined);
    await open(EXEC, V5, (socket) => {
      socket.send(Buffer.from('\0early'));
      socket.send(Buffer.of(255, 0));
    });
    await until('stdin early');
    await until('stdin ends');
  });

  test('whose kubelet rejects it or cannot be reached ends with an internal error', async () => {
    kubelet().refuse('nope');
    const { heard } = await open(EXEC);
    await waitUntil('the end', () => heard.includes('closed 1000'));
    expect(heard[1]).toBe(`3 ${failed('unable to upgrade connection: nope')}`);
    await moveKubelet(api, 1);
    const gone = await heardOf(EXEC, 4, () => undefined);
    expect(gone[1]).toContain(
      'error sending request: Post \\"https://127.0.0.1:1/exec/default/p/c?command=ls&error=1&input=1&output=1\\": dial tcp 127.0.0.1:1: connect: connection refused',
    );
    await moveKubelet(api, kubelet().port);
  });
});

describe('the input of a command', () => {
  test('is sent until its stream is closed, without messages for channels that cannot be written', async () => {
    const { socket } = await open(EXEC);
    await until('opens stderr');
    for (const message of ['\0AB', '\0', '', '\x01x', '\x09x']) socket.send(Buffer.from(message));
    socket.send('\0text');
    socket.send(Buffer.from([255, 1]));
    socket.send(Buffer.from([255, 0]));
    socket.send(Buffer.from('\0C'));
    await until('stdin ends');
    expect(kubelet().heard.slice(5)).toEqual(['stdin AB', 'stdin text', 'stdin ends']);
    socket.close();
    await until('frame 7 0000000000000000');
    expect(kubelet().heard).not.toContain('stdin C');
  });

  test('includes sizes of the terminal, unless they cannot be parsed', async () => {
    const { socket } = await open(`${POD}/exec?command=ls&stdin=1&stdout=1&tty=1`);
    await until('opens resize');
    for (const message of ['\x04{"Width":80,"Height":24}', '\x04nonsense', '\x04{"Width":81,"Height":25}', '\0B'])
      socket.send(Buffer.from(message));
    await until('stdin B');
    expect(kubelet().heard.slice(5)).toEqual(['resize {"Width":80,"Height":24}\n', 'stdin B']);
    socket.terminate();
    await until('stdin ends');
  });

  test('ends with the connection on a close signal without a channel', async () => {
    const { socket, heard } = await open(EXEC);
    await until('opens stderr');
    socket.send(Buffer.from([255]));
    await waitUntil('the end', () => heard.includes('closed 1000'));
    await until('stdin ends');
  });
});

test('megabytes are sent in both directions, and a ping is answered', async () => {
  const most = 3_000_000;
  let said = '';
  kubelet().behave(4, (command) => {
    command.raw(spdyFrame(6, number32(2)));
    command.say('stdout', 'x'.repeat(most));
    command.say('stdout', '', true);
    command.say('stderr', '', true);
  });
  const { socket, heard } = await open(EXEC);
  await until('frame 6 00000002');
  socket.send(Buffer.concat([Buffer.from([0]), Buffer.alloc(most, 'y')]));
  socket.send(Buffer.from([255, 0]));
  await until('stdin ends');
  await waitUntil('all of it', () => (said = heard.map((line) => line.slice(2)).join('')).length >= most);
  const typed = kubelet().heard.filter((line) => line.startsWith('stdin y'));
  expect([said.length, typed.join('').replace(/stdin /g, '').length]).toEqual([most, most]);
  socket.terminate();
});

test('a frame over the maximum length ends the connection', async () => {
  const heard = await heardOf(EXEC, 4, (command) => command.raw(Buffer.from([0x80, 3, 0, 4, 0, 0xff, 0xff, 0xff, 1])));
  expect(heard).toEqual(['1 ', `3 ${ENDED_WELL}`, 'closed 1000']);
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
  expect(kubelet().heard[0]).toMatch(/^GET .* websocket$/);
});
