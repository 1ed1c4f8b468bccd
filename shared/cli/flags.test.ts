/** Parsing of command lines by flag tables: types, defaults, environment, errors and the help text. */
import {
  boolFlag,
  choiceFlag,
  decimalFlag,
  durationFlag,
  FlagError,
  flagsOrExit,
  helpText,
  intFlag,
  listFlag,
  mapFlag,
  parseFlags,
  stringFlag,
  versionFlag,
  type EnvironmentVariables,
  type Flag,
} from './flags';

const table = {
  'bind-address': stringFlag({ section: 'Serving', help: 'Address to listen on.', default: '0.0.0.0' }),
  'secure-port': intFlag({ section: 'Serving', help: 'Port for HTTPS.', default: 6443, min: 0, max: 65_535 }),
  'request-timeout': durationFlag({ section: 'Serving', help: 'Time a request may take.', default: 60_000 }),
  qps: decimalFlag({ section: 'Serving', help: 'Requests a second.', default: 0.5, min: 0, max: 100 }),
  'anonymous-auth': boolFlag({ section: 'Authentication', help: 'Let in requests without credentials.', default: true }),
  'etcd-servers': listFlag({ section: 'Storage', help: 'Addresses.', default: [] }),
  'runtime-config': mapFlag({ section: 'Misc', help: 'Versions on or off.', default: new Map() }),
  'storage-backend': choiceFlag({ section: 'Storage', help: 'Where data lies.', default: 'embedded', values: ['embedded', 'etcd3'] }),
};
const program = { name: 'apiserver', description: 'Serves.' };

function parse(...argv: string[]) {
  return parseFlags(program, table, argv);
}

/** The values of a valid command line. */
function valuesOf(...argv: string[]) {
  const parsed = parse(...argv);
  if (parsed.kind !== 'values') throw new Error(`unexpected ${JSON.stringify(parsed)}`);
  return parsed.values;
}

/** The error of an invalid command line. */
function errorOf(...argv: string[]): string {
  const parsed = parse(...argv);
  return parsed.kind === 'error' ? parsed.message : `no error but ${parsed.kind}`;
}

describe('parseFlags', () => {
  it('returns the defaults of absent flags', () => {
    expect(parse()).toMatchObject({
      kind: 'values',
      values: { 'secure-port': 6443, 'anonymous-auth': true, 'etcd-servers': [] },
      given: new Set(),
      rest: [],
    });
  });

  it.each([
    ['0.01', 0.01],
    ['.5', 0.5],
    ['1.', 1],
    ['100', 100],
  ])('parses the decimal number %s', (text, value) => {
    expect(valuesOf(`--qps=${text}`)).toMatchObject({ qps: value });
  });

  it.each(['', '.', '1e3', 'x', '0x1', 'Infinity'])('rejects %j for a decimal number', (text) => {
    expect(errorOf(`--qps=${text}`)).toContain('must be a number');
  });

  it('rejects decimal numbers outside their bounds', () => {
    expect(errorOf('--qps=-1')).toContain('must be at least 0');
    expect(errorOf('--qps=100.1')).toContain('must be at most 100');
  });

  it('accepts values after = and after a space', () => {
    expect(valuesOf('--secure-port=1', '--bind-address', '::1')).toMatchObject({ 'secure-port': 1, 'bind-address': '::1' });
    expect(valuesOf('--bind-address=')).toMatchObject({ 'bind-address': '' });
    expect(valuesOf('--bind-address=a=b')).toMatchObject({ 'bind-address': 'a=b' });
  });

  it.each([
    [['--anonymous-auth'], true],
    [['--anonymous-auth=true'], true],
    [['--anonymous-auth=false'], false],
    [['--anonymous-auth=F'], false],
    [['--anonymous-auth=0'], false],
    [['--anonymous-auth', '--secure-port=1'], true],
  ])('parses the boolean in %j as %p', (argv, expected) => {
    expect(valuesOf(...argv)['anonymous-auth']).toBe(expected);
  });

  it('appends lists, merges maps, and uses the last of single values', () => {
    const values = valuesOf(
      '--etcd-servers=a,b',
      '--etcd-servers=c',
      '--runtime-config=x/v1=false,y',
      '--runtime-config=y=true',
      '--secure-port=1',
      '--secure-port=2',
    );
    expect(values['etcd-servers']).toEqual(['a', 'b', 'c']);
    expect(Object.fromEntries(values['runtime-config'])).toEqual({ 'x/v1': 'false', y: 'true' });
    expect(values['secure-port']).toBe(2);
  });

  it('parses durations to milliseconds', () => {
    expect(valuesOf('--request-timeout=1m30s')['request-timeout']).toBe(90_000);
  });

  it('returns the names of the flags that were given', () => {
    // The value is the default, but the flag was given.
    expect(parse('--secure-port=6443')).toMatchObject({ given: new Set(['secure-port']) });
  });

  it.each([
    [['--no-such-flag=1'], /unknown option '--no-such-flag/],
    [['--secure-prot=1'], /--secure-port/],
    [['--secure-port'], /--secure-port/],
    [['--secure-port=six'], /--secure-port.*integer/],
    [['--secure-port=70000'], /at most 65535/],
    [['--secure-port=-1'], /at least 0/],
    [['--request-timeout=5'], /duration/],
    [['--request-timeout=-5s'], /negative/],
    [['--anonymous-auth=maybe'], /true or false/],
    [['--storage-backend=paper'], /embedded, etcd3/],
    [['--runtime-config==true'], /has no key/],
    [['stray'], /too many arguments|unexpected/],
  ])('rejects %j', (argv, message) => {
    expect(errorOf(...argv)).toMatch(message);
  });

  it.each([
    [['--secure-prot=1'], "unknown option '--secure-prot'\n(Did you mean --secure-port?)"],
    [['--secure-prot', '1'], "unknown option '--secure-prot'\n(Did you mean --secure-port?)"],
    [['--bind-address', '--secure-port', '--hlep'], "unknown option '--hlep'\n(Did you mean --help?)"],
    [['-x1'], "unknown option '-x'"],
  ])('suggests similar flags for %j', (argv, message) => {
    expect(errorOf(...argv)).toBe(message);
  });

  it('returns operands, which a boolean flag before them does not take as its value', () => {
    const rows = { ...table, follow: boolFlag({ section: 'A', help: '', default: false, shorthand: 'f' }) };
    const withOperands = { ...program, operands: '[NAME...]' };
    expect(parseFlags(withOperands, rows, ['-f', 'a', '--anonymous-auth', 'b', '--', '-c'])).toMatchObject({
      kind: 'values',
      values: { follow: true, 'anonymous-auth': true },
      rest: ['a', 'b', '-c'],
    });
  });

  it.each([
    [['-o', 'json'], 'json'],
    [['-ojson'], 'json'],
    [['-o=json'], 'json'],
    [['--output=json'], 'json'],
    [[], 'table'],
  ])('parses the shorthand in %j', (argv, value) => {
    const rows = { output: choiceFlag({ section: 'A', help: '', default: 'table', values: ['table', 'json'], shorthand: 'o' }) };
    expect(parseFlags(program, rows, argv)).toMatchObject({ kind: 'values', values: { output: value } });
  });

  it('collects unknown flags verbatim with collectsUnknown', () => {
    const parsed = parseFlags({ ...program, collectsUnknown: true }, table, ['--a=1', '--secure-port=7', '--b', 'two', '--controllers=-*']);
    expect(parsed).toMatchObject({ kind: 'values', values: { 'secure-port': 7 }, rest: ['--a=1', '--b', 'two', '--controllers=-*'] });
  });

  describe('with a parse function that throws', () => {
    const flagThatThrows = (error: Error): Flag<string> => ({
      ...table['bind-address'],
      parse: () => {
        throw error;
      },
    });

    it('returns the message of a FlagError', () => {
      const refusing = flagThatThrows(new FlagError('is refused'));
      expect(parseFlags(program, { refusing }, ['--refusing=1'])).toMatchObject({
        kind: 'error',
        message: expect.stringContaining('is refused'),
      });
    });

    it('rethrows any other error', () => {
      const broken = flagThatThrows(new TypeError('defect'));
      expect(() => parseFlags(program, { broken }, ['--broken=1'])).toThrow(TypeError);
    });
  });
});

describe('helpText', () => {
  it('prints the shorthand of a flag, the operands in the usage line, and the epilogue at the end', () => {
    const rows = { follow: boolFlag({ section: 'Output', help: 'Wait for more.', default: false, shorthand: 'f' }) };
    expect(helpText({ name: 'logs', description: 'Prints logs.', operands: '[PROGRAM]', epilogue: 'The end.' }, rows)).toBe(
      'Prints logs.\n\nUsage:\n  logs [PROGRAM] [flags]\n\nOutput flags:\n  -f, --follow\n        Wait for more. (default false)\n\nThe end.\n',
    );
  });

  it('is the text that parseFlags returns for --help', () => {
    expect(parse('--help')).toEqual({ kind: 'text', text: helpText(program, table) });
  });

  it('lists the flags by section with type and default', () => {
    const text = helpText(program, table);
    expect(text).toContain(
      'Serving flags:\n  --bind-address string\n        Address to listen on. (default "0.0.0.0")\n  --secure-port int\n',
    );
    expect(text).toContain('--request-timeout duration\n        Time a request may take. (default 1m0s)');
    expect(text).toContain('--anonymous-auth\n');
    expect(text.indexOf('Serving flags')).toBeLessThan(text.indexOf('Authentication flags'));
  });
});

describe('the variable of a flag', () => {
  const rows = {
    'data-dir': stringFlag({ section: 'A', help: 'Folder.', default: '.platform', variable: 'DATA_DIR' }),
    replicas: intFlag({ section: 'A', help: 'Number.', default: 1, min: 1, variable: 'REPLICAS' }),
  };
  const parseIn = (environment: EnvironmentVariables, ...argv: string[]) => parseFlags(program, rows, argv, environment);

  it('replaces the default, and the command line replaces the variable', () => {
    const environment = { DATA_DIR: '/data', REPLICAS: '3', 'data-dir': '/other' };
    expect(parseIn(environment, '--replicas=2')).toMatchObject({
      values: { 'data-dir': '/data', replicas: 2 },
      given: new Set(['replicas']),
    });
  });

  it('has no effect when it is empty', () => {
    expect(parseIn({ DATA_DIR: '', REPLICAS: '' })).toMatchObject({ values: { 'data-dir': '.platform', replicas: 1 } });
  });

  it('is refused by name when its text is no value of the flag', () => {
    const message = 'the variable REPLICAS has the value "none" for --replicas: must be an integer';
    expect(parseIn({ REPLICAS: 'none' })).toEqual({ kind: 'error', message });
  });

  it('is not parsed when the flag is on the command line', () => {
    expect(parseIn({ REPLICAS: 'none' }, '--replicas=2')).toMatchObject({ kind: 'values', values: { replicas: 2 } });
  });

  it('is in the help', () => {
    expect(helpText(program, rows)).toContain('Folder. (default ".platform", variable DATA_DIR)');
  });
});

describe('the flag --version', () => {
  const versioned = { ...program, version: (format: string, naming: unknown) => `${format} ${String(naming)}` };
  const rows = { ...table, naming: stringFlag({ section: 'A', help: '', default: 'platform' }), version: versionFlag('A') };

  it.each([
    [['--version'], 'true undefined\n'],
    [['--naming=kubernetes', '--version=true', '--naming=other'], 'true other\n'],
    [['--version=raw'], 'raw undefined\n'],
  ])('prints the version instead of running for %p', (argv, text) => {
    expect(parseFlags(versioned, rows, argv)).toEqual({ kind: 'text', text });
  });

  it('does not print the version when it is false', () => {
    expect(parseFlags(versioned, rows, ['--version=false']).kind).toBe('values');
  });

  it.each([[['--version=2']], [['--version', '--what']]])('is rejected in %j', (argv) => {
    expect(parseFlags(versioned, rows, argv).kind).toBe('error');
  });
});

describe('flagsOrExit', () => {
  it.each([
    [['--nope'], 64, 'stderr'],
    [['--help'], 0, 'stdout'],
  ] as const)('on %j exits %d and writes to %s', (argv, code, stream) => {
    const exit = jest.spyOn(process, 'exit').mockImplementation((given) => {
      throw new Error(`exit ${given}`);
    });
    const write = jest.spyOn(process[stream], 'write').mockReturnValue(true);
    try {
      expect(() => flagsOrExit(program, table, argv, 64)).toThrow(`exit ${code}`);
      expect(write).toHaveBeenCalledTimes(1);
    } finally {
      exit.mockRestore();
      write.mockRestore();
    }
  });
});
