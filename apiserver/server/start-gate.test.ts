/** Requests that arrive before the server is ready: order, limits, and the end of holding. */
import { Agent, createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventLoopScheduler } from '../../shared/scheduling/event-loop-scheduler';
import { systemRandom as random } from '../../shared/runtime/random';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { waitUntil } from '../../test/support/programs';
import { Outbox } from '../endpoints/output/outbox';
import { Meters } from '../metrics/registry/meters';
import { StartGate, type StartGateLimits } from './start-gate';
import { ServerState } from './filters/server-state';

const LIMITS: StartGateLimits = { requests: 2, bytes: 300_000, waitMs: 1000 };
const HEALTH = { respond: () => Promise.resolve({ status: 200, text: 'ok', noSniff: true } as const) };

const servers: Server[] = [];
const agent = new Agent();
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A gate on an HTTP/1.1 server. By default it holds two requests, 300,000 bytes, and each request for a second. */
async function openGate(limits: Partial<StartGateLimits> = {}) {
  const clock = new ManualClock();
  const meters = new Meters();
  const serverState = new ServerState({ sendRetryAfter: true });
  const gate = new StartGate(
    {
      outbox: new Outbox(clock),
      scheduler: new EventLoopScheduler(clock),
      clock,
      random,
      meters,
      naming: 'kubernetes',
      serverState,
      limits: { ...LIMITS, ...limits },
    },
    HEALTH,
  );
  const server = createServer(gate.listener('local'));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const send = (path: string, body = '') => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      agent,
      method: body === '' ? 'GET' : 'POST',
      headers: { 'content-length': body.length },
    });
    const response = new Promise<string>((resolve, reject) => {
      sent.on('error', reject).on('response', (message: IncomingMessage) => {
        let text = '';
        message.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => resolve(`${message.statusCode} ${text}`));
      });
    });
    sent.end(body);
    return { sent, response };
  };
  /** Resolves when the gate holds this number of requests. */
  const held = (count: number): Promise<unknown> =>
    waitUntil(`${count} held requests`, () => meters.counter('apiserver_start_held_requests').value === count);
  const outcomes = (): Record<string, number> =>
    Object.fromEntries(
      ['served', 'refused', 'stopped', 'disconnected'].map((outcome) => [
        outcome,
        meters.counter('apiserver_start_held_requests_total', outcome).value,
      ]),
    );
  const served: string[] = [];
  const chain = ({ url }: { url?: string | undefined }, reply: { end(text: string): unknown }, arrivedAt?: number): void => {
    served.push(`${url} ${arrivedAt}`);
    reply.end('served');
  };
  return { gate, clock, state: serverState, send, held, outcomes, served, open: () => gate.open({ secure: chain, local: chain }) };
}

it('StartGate serves held requests in the order of their arrival, with the time of their arrival', async () => {
  const fixture = await openGate();
  const first = fixture.send('/first');
  await fixture.held(1);
  fixture.clock.advance(10);
  const second = fixture.send('/second');
  await fixture.held(2);
  fixture.open();
  expect(await Promise.all([first.response, second.response])).toEqual(['200 served', '200 served']);
  expect(await fixture.send('/third').response).toBe('200 served');
  expect(fixture.served).toEqual(['/first 0', '/second 10', '/third undefined']);
  expect(fixture.outcomes()).toEqual({ served: 2, refused: 0, stopped: 0, disconnected: 0 });
});

it('StartGate refuses requests beyond its maximum number, and those that have waited too long', async () => {
  const fixture = await openGate();
  const waiting = [fixture.send('/a'), fixture.send('/b')];
  await fixture.held(2);
  expect(await fixture.send('/c').response).toMatch(/^429 .*"storage is \(re\)initializing"/s);
  expect(await fixture.send('/livez').response).toBe('200 ok');
  fixture.clock.advance(1000);
  for (const { response } of waiting) expect(await response).toMatch(/^429 /);
  await fixture.held(0);
  expect(fixture.outcomes()).toEqual({ served: 0, refused: 3, stopped: 0, disconnected: 0 });
});

it('StartGate counts the buffered part of bodies towards its bytes, and releases them', async () => {
  const fixture = await openGate();
  const long = fixture.send('/long', 'x'.repeat(1_000_000));
  await fixture.held(1);
  expect((await fixture.send('/other', 'x'.repeat(100_000)).response).slice(0, 3)).toBe('429');
  long.response.catch(() => undefined);
  fixture.clock.advance(1000);
  await fixture.held(0);
  const other = fixture.send('/other', 'x'.repeat(100_000));
  await fixture.held(1);
  fixture.open();
  expect(await other.response).toBe('200 served');
});

it('StartGate drops a held request when its client disconnects', async () => {
  const fixture = await openGate();
  const { sent, response } = fixture.send('/a');
  await fixture.held(1);
  response.catch(() => undefined);
  sent.destroy();
  await fixture.held(0);
  fixture.open();
  expect(fixture.served).toEqual([]);
  expect(fixture.outcomes()).toEqual({ served: 0, refused: 0, stopped: 0, disconnected: 1 });
});

it('StartGate refuses held and new requests when the server shuts down', async () => {
  const fixture = await openGate();
  const { response } = fixture.send('/a');
  await fixture.held(1);
  fixture.state.isRefusingRequests = true;
  fixture.gate.refuseHeld();
  expect(await response).toBe('429 The apiserver is shutting down, please try again later.\n');
  expect(await fixture.send('/b').response).toBe('429 The apiserver is shutting down, please try again later.\n');
  fixture.open();
  expect(fixture.served).toEqual([]);
});
