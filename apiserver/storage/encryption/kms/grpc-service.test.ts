/** KMS calls over a real socket, with plug-ins that hang, disconnect, respond with invalid data or do not exist. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../../../shared/runtime/clock';
import { KmsPlugin } from '../../../../test/support/servers/kms-plugin';
import { waitUntil } from '../../../../test/support/programs';
import { GrpcKmsService, socketPathOf } from './grpc-service';

const folder = mkdtempSync(path.join(tmpdir(), 'kms-'));
const services: GrpcKmsService[] = [];
afterEach(() => services.splice(0).forEach((service) => service.close()));
afterAll(() => rmSync(folder, { recursive: true }));

/** The calls of `onCall`, without the name of the gRPC service. */
let recordedCalls: (readonly [method: string, code: string])[] = [];
beforeEach(() => (recordedCalls = []));

function serviceAt(endpoint: string, timeoutMs = 10_000): GrpcKmsService {
  const service = new GrpcKmsService({
    endpoint,
    timeoutMs,
    clock: systemClock,
    onCall: (method, code) => void recordedCalls.push([method.replace(/.*\//, ''), code]),
  });
  services.push(service);
  return service;
}

const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'nothing',
    (error: unknown) => (error instanceof Error ? error.message : error),
  );

describe('KMS plug-in', () => {
  const plugin = new KmsPlugin(path.join(folder, 'box.sock'));
  beforeAll(() => plugin.start());
  afterAll(() => plugin.stop());
  afterEach(() => plugin.setBehaviour('Status'));

  it('receives exactly the fields of the KMS v2 API', async () => {
    const service = serviceAt(plugin.endpoint);
    expect(await service.status()).toEqual({ version: 'v2', healthz: 'ok', keyId: 'key-1' });
    const encrypted = await service.encrypt(Buffer.from('a seed'), 'first');
    expect(encrypted).toMatchObject({ keyId: 'key-1', annotations: new Map([['ver.kms.test', Buffer.from('1')]]) });
    expect((await service.decrypt(encrypted, 'second')).toString()).toBe('a seed');
    expect(plugin.calls.map(({ method, request }) => [method, request])).toEqual([
      ['Status', {}],
      ['Encrypt', { plaintext: Buffer.from('a seed'), uid: 'first' }],
      ['Decrypt', { ciphertext: encrypted.ciphertext, uid: 'second', keyId: 'key-1', annotations: { 'ver.kms.test': Buffer.from('1') } }],
    ]);
    expect(recordedCalls).toEqual([
      ['Status', 'OK'],
      ['Encrypt', 'OK'],
      ['Decrypt', 'OK'],
    ]);
  });

  it.each([
    ['rejects the call', { failure: { code: 7, details: 'go away' } }, 'PermissionDenied', 'go away'],
    ['does not know the method', { failure: { code: 12, details: 'what?' } }, 'Unimplemented', 'what?'],
    ['hangs', 'never', 'DeadlineExceeded', 'context deadline exceeded'],
    [
      'responds with an invalid message',
      { raw: Buffer.from([0xff, 0xff]) },
      'Internal',
      'grpc: failed to unmarshal the received message: proto: cannot parse invalid wire-format data',
    ],
    [
      'responds with a message over the size limit',
      { healthz: 'x'.repeat(5 << 20) },
      'ResourceExhausted',
      'grpc: received message larger than max (5242885 vs. 4194304)',
    ],
  ] as const)('that %s gives the gRPC status of the failure', async (_title, response, code, description) => {
    plugin.setBehaviour('Status', () => response);
    const timeoutMs = response === 'never' ? 300 : 20_000;
    expect(await errorOf(serviceAt(plugin.endpoint, timeoutMs).status())).toBe(`rpc error: code = ${code} desc = ${description}`);
    expect(recordedCalls).toEqual([['Status', code]]);
  });

  it('gets a separate connection for each provider', async () => {
    const first = serviceAt(plugin.endpoint);
    const second = serviceAt(plugin.endpoint);
    await Promise.all([first.status(), second.status()]);
    first.close();
    expect(await second.status()).toMatchObject({ healthz: 'ok' });
  });

  it('that restarts is reached by the waiting call', async () => {
    plugin.stop();
    const service = serviceAt(plugin.endpoint);
    const waiting = service.status();
    await plugin.start();
    expect(await waiting).toMatchObject({ healthz: 'ok' });
    plugin.stop();
    await plugin.start();
    await waitUntil('the plug-in responds', async () => (await errorOf(service.status())) === 'nothing');
  });

  it('call ends when its provider is closed', async () => {
    plugin.setBehaviour('Status', () => 'never');
    const service = serviceAt(plugin.endpoint, 60_000);
    const statusError = errorOf(service.status());
    service.close();
    expect(await statusError).toMatch(/^rpc error: code = /);
  });
});

it.each([
  ['does not exist', 'missing.sock', 'no such file or directory'],
  ['is in a missing directory', 'no/folder.sock', 'no such file or directory'],
])('KMS call reports a socket path that %s', async (_title, name, reason) => {
  const socketPath = path.join(folder, name);
  expect(await errorOf(serviceAt(`unix://${socketPath}`, 300).status())).toBe(
    `rpc error: code = DeadlineExceeded desc = latest balancer error: connection error: desc = "transport: Error while dialing: dial unix ${socketPath}: connect: ${reason}"`,
  );
});

describe('KMS call to a server that is not a plug-in', () => {
  const socketPath = path.join(folder, 'other.sock');
  let server: Server;
  const sockets: Socket[] = [];
  let greet: (socket: Socket) => void = () => undefined;
  beforeAll(
    () =>
      new Promise<void>((resolve) => {
        server = createServer((socket) => {
          sockets.push(socket);
          socket.on('error', () => undefined);
          greet(socket);
        }).listen(socketPath, resolve);
      }),
  );
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it.each<readonly [string, (socket: Socket) => void]>([
    ['sends nothing', () => undefined],
    ['speaks another protocol', (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'.repeat(100))],
    ['disconnects', (socket) => socket.destroy()],
  ])('and %s ends within the timeout of the call', async (_title, behaviour) => {
    greet = behaviour;
    expect(await errorOf(serviceAt(`unix://${socketPath}`, 500).status())).toMatch(
      /^rpc error: code = (?:DeadlineExceeded|Unavailable|Internal) desc = /,
    );
  });
});

it.each([
  ['unix:///run/kms.sock', '/run/kms.sock'],
  ['unix:/run/kms.sock', '/run/kms.sock'],
  ['unix://host/run/kms.sock', '/run/kms.sock'],
  ['unix:///run/%41%20b.sock', '/run/A b.sock'],
  ['unix:///run/kms.sock?a=b#c', '/run/kms.sock'],
  ['unix:kms.sock', 'kms.sock'],
  ['unix:///@kms', '\0kms'],
])('KMS endpoint %s is the socket path %j', (endpoint, expected) => {
  expect(socketPathOf(endpoint)).toBe(expected);
});
