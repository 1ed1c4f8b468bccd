/** KMS calls over a real socket, with plug-ins that hang, disconnect, respond with invalid data or do not exist. */
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { systemClock } from '../../../../shared/runtime/clock';
import { errorMessage } from '../../../../shared/runtime/error-message';
import { KmsPlugin } from '../../../../test/support/servers/kms-plugin';
import { waitUntil } from '../../../../test/support/programs';
import { stopAfterTest, useFolder } from '../../../../test/support/use-resource';
import { GrpcKmsService, socketPathOf } from './grpc-service';

const folder = useFolder('kms');
const closeAfterTest = stopAfterTest((service: GrpcKmsService) => service.close());

interface Recorded {
  readonly service: GrpcKmsService;
  /** The calls so far: the method without the name of the gRPC service, and the code of the outcome. */
  readonly calls: readonly (readonly [method: string, code: string])[];
}

function serviceAt(endpoint: string, timeoutMs = 10_000): GrpcKmsService {
  return recordedServiceAt(endpoint, timeoutMs).service;
}

function recordedServiceAt(endpoint: string, timeoutMs = 10_000): Recorded {
  const calls: (readonly [method: string, code: string])[] = [];
  const onCall = (method: string, code: string): void => void calls.push([method.replace(/.*\//, ''), code]);
  const service = new GrpcKmsService({ endpoint, timeoutMs, clock: systemClock, onCall });
  closeAfterTest(service);
  return { service, calls };
}

/** The message of the error; `undefined` when the call succeeds. */
const errorOf = (call: Promise<unknown>): Promise<string | undefined> => call.then(() => undefined, errorMessage);

describe('KMS plug-in', () => {
  const plugin = new KmsPlugin(path.join(folder, 'box.sock'));
  beforeAll(() => plugin.start());
  afterAll(() => plugin.stop());
  afterEach(() => plugin.setBehaviour('Status'));

  it('receives exactly the fields of the KMS v2 API', async () => {
    const { service, calls } = recordedServiceAt(plugin.endpoint);
    expect(await service.status()).toEqual({ version: 'v2', healthz: 'ok', keyId: 'key-1' });
    const encrypted = await service.encrypt(Buffer.from('a seed'), 'first');
    expect(encrypted).toMatchObject({ keyId: 'key-1', annotations: new Map([['ver.kms.test', Buffer.from('1')]]) });
    expect((await service.decrypt(encrypted, 'second')).toString()).toBe('a seed');
    expect(plugin.calls.map(({ method, request }) => [method, request])).toEqual([
      ['Status', {}],
      ['Encrypt', { plaintext: Buffer.from('a seed'), uid: 'first' }],
      ['Decrypt', { ciphertext: encrypted.ciphertext, uid: 'second', keyId: 'key-1', annotations: { 'ver.kms.test': Buffer.from('1') } }],
    ]);
    expect(calls).toEqual([
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
    const { service, calls } = recordedServiceAt(plugin.endpoint, timeoutMs);
    expect(await errorOf(service.status())).toBe(`rpc error: code = ${code} desc = ${description}`);
    expect(calls).toEqual([['Status', code]]);
  });

  it('is connected separately by each provider', async () => {
    const first = serviceAt(plugin.endpoint);
    const second = serviceAt(plugin.endpoint);
    await Promise.all([first.status(), second.status()]);
    first.close();
    expect(await second.status()).toMatchObject({ healthz: 'ok' });
  });

  it('that starts late is reached by the waiting call', async () => {
    plugin.stop();
    const pendingStatus = serviceAt(plugin.endpoint).status();
    await plugin.start();
    expect(await pendingStatus).toMatchObject({ healthz: 'ok' });
  });

  it('that restarts is reached by later calls', async () => {
    const service = serviceAt(plugin.endpoint);
    await service.status();
    plugin.stop();
    await plugin.start();
    await waitUntil('the plug-in responds', async () => (await errorOf(service.status())) === undefined);
  });

  it('that hangs does not hold a call when its provider is closed', async () => {
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
  it.each<readonly [title: string, onConnection: (socket: Socket) => void]>([
    ['sends nothing', () => undefined],
    ['speaks another protocol', (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'.repeat(100))],
    ['disconnects', (socket) => socket.destroy()],
  ])('and %s ends within the timeout of the call', async (_title, onConnection) => {
    const socketPath = path.join(folder, 'other.sock');
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      onConnection(socket);
    });
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    const error = await errorOf(serviceAt(`unix://${socketPath}`, 500).status());
    expect(error).toMatch(/^rpc error: code = (?:DeadlineExceeded|Unavailable|Internal) desc = /);
    for (const socket of sockets) socket.destroy();
    server.close();
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
