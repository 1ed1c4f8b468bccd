import type { Clock } from './clock';
import { createLogger, silentLogger, type LogLevel } from './logger';

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

  it('leaves out what is below its level', () => {
    const { logger, lines } = capture('warn');
    logger.info('quiet');
    logger.debug('quiet');
    logger.trace('quiet');
    logger.warn('said');
    logger.error('said');
    expect(lines).toHaveLength(2);
    expect([logger.enabled('info'), logger.enabled('error'), logger.enabled('silent')]).toEqual([false, true, false]);
  });

  it('writes errors with message and stack', () => {
    const { logger, lines } = capture('info');
    logger.error('failed', { error: new TypeError('bad') });
    expect(lines[0]).toMatchObject({ error: { type: 'TypeError', message: 'bad', stack: expect.stringContaining('logger.test') } });
  });

  it('says nothing at level silent, and the silent logger neither', () => {
    const { logger, lines } = capture('silent');
    logger.error('x');
    silentLogger.child({}).error('x');
    expect(lines).toEqual([]);
    expect(silentLogger.enabled('error')).toBe(false);
  });
});
