/** Time limits of requests and of their bodies, with a manual clock. */
import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { Exchange } from '../../endpoints/request/exchange';
import { EventLoopScheduler } from '../../../shared/scheduling/event-loop-scheduler';
import { Outbox } from '../../endpoints/output/outbox';
import { Deadlines } from './deadlines';

/** An exchange over a fake HTTP/2 stream, and the calls that the stream received. */
function exchangeWith(clock: ManualClock): { exchange: Exchange; sent: string[]; destroyed: () => boolean } {
  const sent: string[] = [];
  let destroyed = false;
  const stream = Object.assign(new EventEmitter(), {
    destroyed: false,
    respond: (headers: Record<string, unknown>) => sent.push(String(headers[':status'])),
    writableFinished: false,
    end(body: Buffer) {
      sent.push(body.toString());
      this.writableFinished = true;
    },
    destroy: () => (destroyed = true),
    close: () => sent.push('closed'),
  });
  const request: unknown = { method: 'GET', headers: {} };
  const exchange = Reflect.construct(Exchange, [
    request,
    stream,
    { outbox: new Outbox(clock), scheduler: new EventLoopScheduler(clock), clock },
    { origin: 'secure', naming: 'platform', startedAt: clock.monotonic() },
  ]) as Exchange;
  exchange.setAuditId('deadlines');
  return { exchange, sent, destroyed: () => destroyed };
}

it('Deadlines responds with 504 to a request without a response at its deadline, and drops a later response', async () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock);
  const { exchange, sent } = exchangeWith(clock);
  exchange.setDeadline(60_000);
  deadlines.watch(exchange);
  clock.advance(59_000);
  expect(sent).toEqual([]);
  clock.advance(2000);
  await nextTurn();
  expect(sent[0]).toBe('504');
  expect(sent[1]).toContain('"message":"Timeout: request did not complete within the allotted timeout"');
  expect(sent[2]).toBe('closed');
  exchange.send(200, {}, Buffer.from('late'));
  expect(sent).toHaveLength(3);
});

it('Deadlines aborts a started response at an earlier deadline of a single request', async () => {
  const clock = new ManualClock();
  const { exchange, destroyed } = exchangeWith(clock);
  exchange.setDeadline(500);
  new Deadlines(clock).watchWithTimer(exchange);
  exchange.sendHead(200, {});
  clock.advance(501);
  await nextTurn();
  expect(destroyed()).toBe(true);
});

it('Deadlines drops a finished request, and keeps no timer without requests', () => {
  const clock = new ManualClock();
  const { exchange, sent } = exchangeWith(clock);
  exchange.setDeadline(60_000);
  new Deadlines(clock).watch(exchange);
  exchange.send(200, {}, Buffer.from('ok'));
  clock.advance(120_000);
  expect(sent).toEqual(['200', 'ok']);
  expect(clock.pending).toBe(0);
});

it('Deadlines responds with 408 to a request with a slow body, whatever its deadline', async () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock);
  const slow = exchangeWith(clock);
  const early = exchangeWith(clock);
  const fast = exchangeWith(clock);
  for (const { exchange } of [slow, early, fast]) {
    exchange.setDeadline(60_000);
    exchange.progress.startBody();
    if (exchange === early.exchange) deadlines.watchWithTimer(exchange);
    else deadlines.watch(exchange);
  }
  const receiveForTenSeconds = (): void => {
    for (let second = 0; second < 10; second += 1) {
      slow.exchange.progress.addBodyBytes(10);
      early.exchange.progress.addBodyBytes(10);
      fast.exchange.progress.addBodyBytes(20_000);
      clock.advance(1000);
    }
  };
  receiveForTenSeconds();
  expect(slow.sent).toEqual([]);
  expect(early.sent).toEqual([]);
  receiveForTenSeconds();
  await nextTurn();
  for (const { sent } of [slow, early]) {
    expect(sent[0]).toBe('408');
    expect(sent[1]).toContain('"reason":"Timeout"');
    expect(sent[2]).toBe('closed');
  }
  expect(fast.sent).toEqual([]);
});

it('Deadlines does not check the pace of a body that has been received', () => {
  const clock = new ManualClock();
  const { exchange, sent } = exchangeWith(clock);
  exchange.setDeadline(60_000);
  exchange.progress.startBody();
  exchange.progress.addBodyBytes(1);
  new Deadlines(clock).watch(exchange);
  clock.advance(5_000);
  exchange.progress.endBody();
  clock.advance(50_000);
  expect(sent).toEqual([]);
});
