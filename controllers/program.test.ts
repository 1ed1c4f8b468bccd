import { parseFlags, UsageError } from '../shared/cli/flags';
import { Lifecycle } from '../shared/runtime/process/lifecycle';
import { silentLogger as logger } from '../shared/runtime/logger';
import { FixedRandom } from '../test/support/clock/fixed-random';
import { ManualClock } from '../test/support/clock/manual-clock';
import { flags } from './flags';
import { PROGRAM, startControllers } from './program';

test('startControllers throws a UsageError that names an unknown controller of --controllers', async () => {
  const parsed = parseFlags(PROGRAM, flags, ['--master=http://127.0.0.1:1', '--controllers=*,-no-such-controller']);
  if (parsed.kind !== 'values') throw new Error(JSON.stringify(parsed));
  const clock = new ManualClock();
  const lifecycle = new Lifecycle({ clock, logger, process: { on: () => undefined, exit: () => undefined } });
  const started = startControllers(parsed, { clock, random: new FixedRandom(), logger, lifecycle });
  await expect(started).rejects.toThrow(new UsageError('--controllers: there is no controller "no-such-controller"'));
});
