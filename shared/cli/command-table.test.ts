/** Commands of a program: how one is selected and run, and their help. */
import { command, commandHelp, programHelp, runCommand, type Command, type CommandProgram } from './command-table';
import { boolFlag, intFlag, type EnvironmentVariables } from './flags';

/** What a command received. */
interface Call {
  readonly name: string;
  readonly count: unknown;
  readonly operands: readonly string[];
}

/** The context of the program: its commands record their calls. */
interface Calls {
  readonly calls: Call[];
  readonly environment: EnvironmentVariables;
}

/** A command with the flags `--count` and `--yes`, which exits with code 3. */
const row = (name: string, more: Pick<Command<Calls>, 'operands' | 'examples' | 'collectsUnknown'> = {}): Command<Calls> =>
  command({
    name,
    section: 'Commands',
    summary: `Runs ${name}`,
    flags: {
      count: intFlag({ section: 'Test', help: 'How many.', default: 1, variable: 'COUNT' }),
      yes: boolFlag({ section: 'Test', help: 'Yes.', default: false }),
    },
    load:
      async () =>
      async (input, { calls }: Calls) => {
        calls.push({ name, count: input.values['count'], operands: input.operands });
        return 3;
      },
    ...more,
  });

const LOGS = row('logs', { operands: { placeholder: '[apiserver|controllers]', choices: ['apiserver', 'controllers'], min: 0, max: 1 } });
const RENEW = row('certificates renew', { operands: { placeholder: 'NAME...', min: 1, max: 9 } });
const program: CommandProgram<Calls> = {
  name: 'platform',
  description: 'Runs a control plane.',
  commands: [row('start', { collectsUnknown: true, examples: ['start --count=2'] }), row('stop'), LOGS, row('certificates list'), RENEW],
};

const run = (...argv: string[]) => runIn({}, ...argv);

async function runIn(environment: EnvironmentVariables, ...argv: string[]) {
  const calls: Call[] = [];
  return { outcome: await runCommand(program, argv, { calls, environment }), calls };
}

describe('runCommand', () => {
  it('runs the named command with its flags, and returns its exit code', async () => {
    expect(await run('stop', '--count=2')).toEqual({
      outcome: { kind: 'exit', code: 3 },
      calls: [{ name: 'stop', count: 2, operands: [] }],
    });
  });

  it('runs a command that two words name, with its operands', async () => {
    const { calls } = await run('certificates', 'renew', '--yes', 'a', 'b');
    expect(calls).toEqual([{ name: 'certificates renew', count: 1, operands: ['a', 'b'] }]);
  });

  it('passes unknown flags as operands to a command with collectsUnknown', async () => {
    const { calls } = await run('start', '--naming=x', '--count', '4');
    expect(calls).toEqual([{ name: 'start', count: 4, operands: ['--naming=x'] }]);
  });

  it('takes the variables of flags from the context', async () => {
    const { calls } = await runIn({ COUNT: '7' }, 'stop');
    expect(calls).toEqual([{ name: 'stop', count: 7, operands: [] }]);
  });

  it.each([
    [['strat'], "unknown command 'strat'\n(Did you mean start?)"],
    [['--data-dir=x'], "unknown option '--data-dir=x'"],
    [['certificates', 'lst'], "unknown command 'certificates lst'\n(Did you mean certificates list?)"],
    [['stop', '--coutn=1'], "unknown option '--coutn'\n(Did you mean --count?)"],
    [['stop', 'now'], 'too many arguments. Expected 0 arguments but got 1.'],
    [['logs', 'apisever'], '"apisever" is not one of apiserver, controllers\n(Did you mean apiserver?)'],
    [['logs', 'apiserver', 'controllers'], 'unexpected argument "controllers"'],
    [['certificates', 'renew'], 'missing argument NAME...'],
  ])('refuses %j', async (argv, message) => {
    const { outcome, calls } = await run(...argv);
    expect(outcome).toMatchObject({ kind: 'error', message });
    expect(calls).toEqual([]);
  });

  it.each([[[]], [['help']], [['--help']], [['-h']], [['help', 'me']]])('prints the help of the program for %j', async (argv) => {
    expect((await run(...argv)).outcome).toEqual({ kind: 'text', text: programHelp(program) });
  });

  it.each([[['logs', '--help']], [['help', 'logs']]])('prints the help of a command for %j', async (argv) => {
    expect((await run(...argv)).outcome).toEqual({ kind: 'text', text: commandHelp('platform', LOGS) });
  });

  it.each([[['certificates']], [['certificates', '--help']]])('lists the commands of a group for %j', async (argv) => {
    const { outcome } = await run(...argv);
    expect(outcome).toMatchObject({ kind: 'text' });
    expect(outcome.kind === 'text' && outcome.text.match(/^ {2}certificates \w+ .*$/gm)).toHaveLength(2);
  });
});

describe('the help', () => {
  it('lists the commands with their summaries', () => {
    expect(programHelp(program)).toContain('\nCommands:\n  start               Runs start\n  stop                Runs stop\n');
  });

  it('of a command has its operands and examples', async () => {
    expect(commandHelp('platform', LOGS)).toContain('Usage:\n  platform logs [apiserver|controllers] [flags]\n');
    const { outcome } = await run('start', '--help');
    expect(outcome.kind === 'text' && outcome.text).toContain('\nExamples:\n  platform start --count=2\n');
  });
});
