/** Log lines and levels, and a destination that does not keep up. */
import type { Clock } from './clock';
import { Writable } from 'node:stream';
import { createLogger, droppedLogLines, nonBlockingSink, silentLogger, type LogLevel } from './logger';

const clock: Clock = {
  now: () => Date.UTC(2024, 7, 13),
  monotonic: () => 0,
  after: () => ({ cancel: () => undefined }),
  sleep: () => Promise.resolve(),
};

function capture(level: LogLevel) {
  const lines: unknown[] = [];
  const logger = createLogger({
    level,
    clock,
    fields: { component: 'apiserver' },
    destination: { write: (line) => lines.push(JSON.parse(line)) },
  });
  return { logger, lines };
}

describe('logger', () => {
  it('writes one JSON line with level, time from the clock, message and fields', () => {
    const { logger, lines } = capture('info');
    logger.child({ replica: 2 }).info('ready', { port: 6443 });
    expect(lines).toEqual([
      { level: 'info', time: '2024-08-13T00:00:00.000Z', component: 'apiserver', replica: 2, port: 6443, msg: 'ready' },
    ]);
  });

  it('omits lines below its level', () => {
    const { logger, lines } = capture('warn');
    logger.info('quiet');
    logger.debug('quiet');
    logger.trace('quiet');
    logger.warn('written');
    logger.error('written');
    expect(lines).toHaveLength(2);
  });

  it('isLevelEnabled is true for levels whose lines are written, and false for silent', () => {
    const { logger } = capture('warn');
    expect(logger.isLevelEnabled('info')).toBe(false);
    expect(logger.isLevelEnabled('error')).toBe(true);
    expect(logger.isLevelEnabled('silent')).toBe(false);
  });

  it('writes errors with message and stack', () => {
    const { logger, lines } = capture('info');
    logger.error('failed', { error: new TypeError('bad') });
    expect(lines[0]).toMatchObject({ error: { type: 'TypeError', message: 'bad', stack: expect.stringContaining('logger.test') } });
  });

  it('writes nothing at level silent or as silentLogger', () => {
    const { logger, lines } = capture('silent');
    logger.error('x');
    silentLogger.child({}).error('x');
    expect(lines).toEqual([]);
    expect(silentLogger.isLevelEnabled('error')).toBe(false);
  });
});

describe('nonBlockingSink', () => {
  it('buffers a bounded number of lines for a stalled destination and counts dropped lines', () => {
    const read: string[] = [];
    /** Each lets the destination read the next line. */
    const callbacks: (() => void)[] = [];
    const reader = new Writable({
      write(chunk: Buffer, _encoding, callback) {
        read.push(chunk.toString());
        callbacks.push(callback);
      },
    });
    const logger = createLogger({ level: 'info', clock, destination: nonBlockingSink(reader) });
    const before = droppedLogLines();
    for (let line = 0; line < 3000; line += 1) logger.info('x'.repeat(1000));
    expect(read).toHaveLength(1);
    expect(reader.writableLength).toBeLessThan(1.01 * 1024 * 1024);
    const dropped = droppedLogLines() - before;
    // The buffer of 1 MiB holds less than 1,100 lines.
    expect(dropped).toBeGreaterThan(3000 - 1100);
    for (let callback = callbacks.shift(); callback !== undefined; callback = callbacks.shift()) callback();
    expect(read.length + dropped).toBe(3000);
  });

  it('counts lines to a destroyed destination as dropped', () => {
    const reader = new Writable();
    const logger = createLogger({ level: 'info', clock, destination: nonBlockingSink(reader) });
    const before = droppedLogLines();
    reader.destroy(new Error('EPIPE'));
    logger.info('x');
    expect(droppedLogLines() - before).toBe(1);
  });
});
