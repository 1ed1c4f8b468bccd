/** Responses over HTTP/2: their order with watch events, and the headers that a watch keeps. */
import { EventEmitter } from 'node:events';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { Exchange } from './exchange';
import { EventLoopScheduler } from '../../../shared/scheduling/event-loop-scheduler';
import { Outbox } from '../output/outbox';

/**
 * An exchange over the HTTP/2 connection `session`. What it sends is appended to `log`. The request and the stream have
 * only the members that these tests use, so the exchange is constructed without a check of their types.
 */
function exchangeOn(session: object, outbox: Outbox, log: string[]): Exchange {
  const stream = Object.assign(new EventEmitter(), {
    session,
    destroyed: false,
    respond: () => undefined,
    end: (body: Buffer) => log.push(body.toString()),
  });
  const exchange = Reflect.construct(Exchange, [
    {
      method: 'PUT',
      url: '/api',
      headers: { authorization: 'Bearer x', 'user-agent': 'kubelet', 'x-real-ip': '192.0.2.7' },
      rawHeaders: ['a', 'b'],
    },
    stream,
    { outbox, scheduler: new EventLoopScheduler(new ManualClock()) },
    { origin: 'secure', naming: 'platform', startedAt: 0 },
  ]) as Exchange;
  exchange.setAuditId('exchange');
  return exchange;
}

/** A watch over the connection, with an event that waits to be sent. */
const watchOn = (session: object, log: string[]) => ({ session, flush: () => void log.push('event') });

it('Exchange.send responds one turn after the watch events that wait for its connection', async () => {
  const outbox = new Outbox(new ManualClock());
  const session = {};
  const log: string[] = [];
  const exchange = exchangeOn(session, outbox, log);
  outbox.add(watchOn(session, log));
  exchange.send(200, {}, Buffer.from('response'));
  expect(log).toEqual(['event']);
  expect(exchange.isFinished).toBe(false);
  await flushPromises();
  // A sender that was flushed is flushed once more, at the end of the turn.
  expect(log.filter((line) => line !== 'event')).toEqual(['response']);
  expect(exchange.isFinished).toBe(true);
});

it('Exchange.send ignores a second response while the first one waits for watch events', async () => {
  const outbox = new Outbox(new ManualClock());
  const session = {};
  const log: string[] = [];
  const exchange = exchangeOn(session, outbox, log);
  outbox.add(watchOn(session, log));
  exchange.send(200, {}, Buffer.from('response'));
  expect(exchange.hasResponded).toBe(true);
  exchange.send(500, {}, Buffer.from('another'));
  await flushPromises();
  expect(log).not.toContain('another');
  expect(exchange.status).toBe(200);
});

it('Exchange.send responds at once when no event waits for its connection', () => {
  const outbox = new Outbox(new ManualClock());
  const log: string[] = [];
  const exchange = exchangeOn({}, outbox, log);
  outbox.add(watchOn({}, []));
  exchange.send(200, {}, Buffer.from('response'));
  expect(log).toEqual(['response']);
});

it('Exchange.releaseHead keeps the headers that the request log reads, and no credentials', () => {
  const exchange = exchangeOn({}, new Outbox(new ManualClock()), []);
  exchange.releaseHead();
  expect(exchange.request).toEqual({
    method: 'PUT',
    url: '/api',
    headers: { 'user-agent': 'kubelet', 'x-real-ip': '192.0.2.7' },
    rawHeaders: [],
  });
});
