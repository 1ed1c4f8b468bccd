/** Graceful shutdown: order of stages, timeouts and signals, with a process that is a fake. */
import { execFile } from 'node:child_process';
import { EventEmitter } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../../../test/support/repository';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { Lifecycle } from './lifecycle';
import { silentLogger } from '../logger';

function setUp({ connected }: { readonly connected?: boolean } = {}) {
  const clock = new ManualClock();
  const events = new EventEmitter();
  const exit = jest.fn<void, [number]>();
  const process = { on: (event: string, listener: () => void) => events.on(event, listener), exit, connected };
  const lifecycle = new Lifecycle({ clock, logger: silentLogger, process });
  lifecycle.listenForSignals();
  return { lifecycle, events, exit, clock };
}

describe('Lifecycle', () => {
  it('stays alive until it stops', async () => {
    const { lifecycle, clock } = setUp();
    let hasEnded = false;
    const staying = lifecycle.stayAlive().then(() => (hasEnded = true));
    clock.advance(600_000);
    await flushPromises();
    expect(hasEnded).toBe(false);
    await lifecycle.stop('test');
    clock.advance(60_000);
    await staying;
    expect(hasEnded).toBe(true);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'])('on %s stops the stages, last one first, and exits 0', async (event) => {
    const { lifecycle, events, exit, clock } = setUp();
    const order: string[] = [];
    for (const name of ['store', 'server']) {
      lifecycle.onStop({
        name,
        timeoutMs: 1_000,
        run: async () => {
          order.push(`${name} starts`);
          await Promise.resolve();
          order.push(`${name} ended`);
        },
      });
    }
    expect(lifecycle.stopping.aborted).toBe(false);
    events.emit(event);
    expect(lifecycle.stopping.aborted).toBe(true);
    await lifecycle.stop('join');
    expect(order).toEqual(['server starts', 'server ended', 'store starts', 'store ended']);
    expect(exit.mock.calls).toEqual([[0]]);
    expect(clock.pending).toBe(0);
  });

  it('stops when the channel to the parent process closed before it listened for signals', async () => {
    const { lifecycle, exit } = setUp({ connected: false });
    expect(lifecycle.stopping.aborted).toBe(true);
    await lifecycle.stop('join');
    expect(exit.mock.calls).toEqual([[0]]);
  });

  it.each([true, undefined])('keeps running when the process reports connected as %s', (connected) => {
    const { lifecycle } = setUp(connected === undefined ? {} : { connected });
    expect(lifecycle.stopping.aborted).toBe(false);
  });

  it('continues after a stage that fails or hangs, and exits 1', async () => {
    const { lifecycle, exit, clock } = setUp();
    const ran: string[] = [];
    lifecycle.onStop({ name: 'last', timeoutMs: 1, run: () => void ran.push('last') });
    lifecycle.onStop({ name: 'hangs', timeoutMs: 500, run: () => new Promise(() => undefined) });
    lifecycle.onStop({
      name: 'fails',
      timeoutMs: 1,
      run: () => {
        throw new Error('no');
      },
    });
    const stopped = lifecycle.stop('test');
    await flushPromises();
    expect(ran).toEqual([]);
    clock.advance(500);
    await stopped;
    expect(ran).toEqual(['last']);
    expect(exit.mock.calls).toEqual([[1]]);
  });

  it('keeps the exit code it was given', async () => {
    const { lifecycle, exit } = setUp();
    await Promise.all([lifecycle.stop('broken', 3), lifecycle.stop('again', 0)]);
    expect(exit.mock.calls).toEqual([[3]]);
  });

  it('exits 1 at once on a second signal, but treats signals in quick succession as one', () => {
    const { lifecycle, events, exit, clock } = setUp();
    lifecycle.onStop({ name: 'hangs', timeoutMs: 60_000, run: () => new Promise(() => undefined) });
    events.emit('SIGINT');
    clock.advance(20);
    events.emit('SIGINT');
    expect(exit).not.toHaveBeenCalled();
    clock.advance(1_000);
    events.emit('SIGTERM');
    expect(exit.mock.calls).toEqual([[1]]);
  });

  it('runs every stage of a process that waits for nothing but timers', async () => {
    const program = `
      const { systemClock: clock } = require('./shared/runtime/clock.ts');
      const { Lifecycle } = require('./shared/runtime/process/lifecycle.ts');
      const { silentLogger: logger } = require('./shared/runtime/logger.ts');
      const lifecycle = new Lifecycle({ clock, logger, process });
      lifecycle.onStop({ name: 'last', timeoutMs: 1_000, run: () => console.log('the last stage ran') });
      lifecycle.onStop({ name: 'first', timeoutMs: 1_000, run: () => new Promise((resolve) => clock.after(10, resolve)) });
      void lifecycle.stop('a test');`;
    const hook = path.join(repository, 'test/support/typescript-hook.cjs');
    const { stdout } = await promisify(execFile)(process.execPath, ['-r', hook, '-e', program], { cwd: repository });
    expect(stdout).toBe('the last stage ran\n');
  });
});
