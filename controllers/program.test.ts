import { parseFlags, UsageError } from '../shared/cli/flags';
import { Lifecycle } from '../shared/runtime/process/lifecycle';
import { createLogger, silentLogger } from '../shared/runtime/logger';
import { FixedRandom } from '../test/support/clock/fixed-random';
import { ManualClock } from '../test/support/clock/manual-clock';
import { flags } from './flags';
import { PROGRAM, startControllers } from './program';

function start(args: readonly string[], logger = silentLogger) {
  const parsed = parseFlags(PROGRAM, flags, ['--master=http://127.0.0.1:1', '--secure-port=0', ...args]);
  if (parsed.kind !== 'values') throw new Error(JSON.stringify(parsed));
  const clock = new ManualClock();
  const lifecycle = new Lifecycle({ clock, logger, process: { on: () => undefined, exit: () => undefined } });
  const started = startControllers(parsed, { clock, random: new FixedRandom(), logger, lifecycle });
  return { started, clock, lifecycle };
}

test('startControllers throws a UsageError that names an unknown controller of --controllers', async () => {
  const { started } = start(['--controllers=*,-no-such-controller']);
  await expect(started).rejects.toThrow(new UsageError('--controllers: there is no controller "no-such-controller"'));
});

test('startControllers throws a UsageError for flags of a controller that contradict each other', async () => {
  const { started } = start(['--allocate-node-cidrs']);
  await expect(started).rejects.toThrow(new UsageError('--cluster-cidr must be set with --allocate-node-cidrs'));
});

test.each<[readonly string[], readonly string[]]>([
  [[], ['garbage-collector']],
  [['--enable-garbage-collector=false'], []],
  [
    ['--allocate-node-cidrs', '--cluster-cidr=10.0.0.0/16'],
    ['nodeipam', 'garbage-collector'],
  ],
  [['--development-load-balancer-addresses=192.0.2.0/24'], ['service-lb', 'garbage-collector']],
])('startControllers with %j runs only the controllers that the flags enable', async (args, expected) => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', clock: new ManualClock(), destination: { write: (line) => void lines.push(line) } });
  const { started, clock, lifecycle } = start(['--controllers=-*,garbage-collector,nodeipam,service-lb', ...args], logger);
  await started;
  const running = lines.map((line): { controllers?: string[] } => JSON.parse(line)).find(({ controllers }) => controllers !== undefined);
  expect(running?.controllers).toEqual(expected);
  const stopped = lifecycle.stop('the test has ended');
  // Longer than any step of the shutdown may take.
  await clock.advanceAsync(30_000);
  await stopped;
});
