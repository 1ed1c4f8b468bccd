/** KMS calls over a real socket, with plug-ins that hang, disconnect, respond with arbitrary data or are absent. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../../../shared/runtime/clock';
import { KmsPlugin } from '../../../../test/support/kms-plugin';
import { waitUntil } from '../../../../test/support/programs';
import { GrpcKmsService, socketPathOf } from './grpc-service';

const folder = mkdtempSync(path.join(tmpdir(), 'kms-'));
const services: GrpcKmsService[] = [];
afterEach(() => services.splice(0).forEach((one) => one.close()));
afterAll(() => rmSync(folder, { recursive: true }));

let called: (readonly [method: string, code: string])[] = [];
beforeEach(() => (called = []));

function serviceAt(endpoint: string, timeoutMs = 10_000): GrpcKmsService {
  const service = new GrpcKmsService({
    endpoint,
    timeoutMs,
    clock: systemClock,
    called: (method, code) => void called.push([method.replace(/.*\//, ''), code]),
  });
  services.push(service);
  return service;
}

const faultOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'nothing',
    (error: unknown) => (error instanceof Error ? error.message : error),
  );

describe('KMS plug-in', () => {
  const box = new KmsPlugin(path.join(folder, 'box.sock'));
  beforeAll(() => box.start());
  afterAll(() => box.stop());
  afterEach(() => box.behave('Status'));

  it('receives exactly the fields of the KMS v2 API', async () => {
    const service = serviceAt(box.endpoint);
    expect(await service.status()).toEqual({ version: 'v2', healthz: 'ok', keyId: 'key-1' });
    const sealed = await service.encrypt(Buffer.from('a seed'), 'first');
    expect(sealed).toMatchObject({ keyId: 'key-1', annotations: new Map([['ver.kms.test', Buffer.from('1')]]) });
    expect((await service.decrypt(sealed, 'second')).toString()).toBe('a seed');
    expect(box.calls.map(({ method, asked }) => [method, asked])).toEqual([
      ['Status', {}],
      ['Encrypt', { plaintext: Buffer.from('a seed'), uid: 'first' }],
      ['Decrypt', { ciphertext: sealed.ciphertext, uid: 'second', keyId: 'key-1', annotations: { 'ver.kms.test': Buffer.from('1') } }],
    ]);
    expect(called).toEqual(['Status', 'Encrypt', 'Decrypt'].map((method) => [method, 'OK']));
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
  ] as const)('that %s gives the gRPC status of the failure', async (_title, answer, code, description) => {
    box.behave('Status', () => answer);
    const timeoutMs = answer === 'never' ? 300 : 20_000;
    expect(await faultOf(serviceAt(box.endpoint, timeoutMs).status())).toBe(`rpc error: code = ${code} desc = ${description}`);
    expect(called).toEqual([['Status', code]]);
  });

  it('has a separate connection for each provider', async () => {
    const [one, other] = [serviceAt(box.endpoint), serviceAt(box.endpoint)];
    await Promise.all([one.status(), other.status()]);
    one.close();
    expect(await other.status()).toMatchObject({ healthz: 'ok' });
  });

  it('that restarts is reached by the waiting call', async () => {
    box.stop();
    const service = serviceAt(box.endpoint);
    const waiting = service.status();
    await box.start();
    expect(await waiting).toMatchObject({ healthz: 'ok' });
    box.stop();
    await box.start();
    await waitUntil('the plug-in', async () => (await faultOf(service.status())) === 'nothing');
  });

  it('call ends when its provider is closed', async () => {
    box.behave('Status', () => 'never');
    const service = serviceAt(box.endpoint, 60_000);
    const asked = faultOf(service.status());
    service.close();
    expect(await asked).toMatch(/^rpc error: code = /);
  });
});

it.each([
  ['does not exist', 'nobody.sock', 'no such file or directory'],
  ['is in a missing directory', 'no/folder.sock', 'no such file or directory'],
])('KMS call reports a socket path that %s', async (_title, name, why) => {
  const place = path.join(folder, name);
  expect(await faultOf(serviceAt(`unix://${place}`, 300).status())).toBe(
    `rpc error: code = DeadlineExceeded desc = latest balancer error: connection error: desc = "transport: Error while dialing: dial unix ${place}: connect: ${why}"`,
  );
});

describe('KMS call to a server that is not a plug-in', () => {
  const place = path.join(folder, 'other.sock');
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
        }).listen(place, resolve);
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
    expect(await faultOf(serviceAt(`unix://${place}`, 500).status())).toMatch(
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
])('KMS endpoint %s is the socket path %j', (endpoint, place) => {
  expect(socketPathOf(endpoint)).toBe(place);
});
