/** `npm start` with flags or files that no restart can correct: it ends with a message and an exit code of its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { USAGE_EXIT_CODE } from '../../shared/cli/flags';
import { PERMANENT_EXIT_CODE } from '../../shared/runtime/process/permanent-error';
import { removeFolder } from '../support/programs';
import { start, useLocation } from './local-control-plane';

describe('npm start with wrong flags', () => {
  const location = useLocation('npm-start-flags');

  it.each<[string, string[], RegExp]>([
    ['an unknown flag', ['--no-such-flag=1'], /no-such-flag/],
    ['a bad port', ['--secure-port=99999'], /secure-port/],
    ['several replicas without etcd', ['--replicas=3'], /etcd-servers/],
    ['a stray word', ['banana'], /banana/],
  ])('exits at once and names %s', async (_title, flags, message) => {
    const refused = start(location(), ...flags);
    expect((await refused.exited).code).toBe(USAGE_EXIT_CODE);
    expect(refused.output).toMatch(message);
  });
});

describe('npm start with a permanent error', () => {
  const location = useLocation('npm-start-errors');
  afterEach(() => removeFolder(path.join(location().folder, 'store')));
  const damageStore = (): void => {
    mkdirSync(path.join(location().folder, 'store'));
    writeFileSync(path.join(location().folder, 'store/data.mdb'), 'damaged '.repeat(1_000));
  };

  interface PermanentError {
    readonly error: string;
    readonly flags?: readonly string[];
    readonly code: number;
    readonly sentence: RegExp;
    prepare?(): void;
  }

  it.each<PermanentError>([
    {
      error: 'a missing file',
      flags: ['--audit-policy-file=/none.yaml'],
      code: PERMANENT_EXIT_CODE,
      sentence: /^apiserver: --audit-policy-file=\/none.yaml: the file does not exist$/m,
    },
    {
      error: 'a damaged store',
      code: PERMANENT_EXIT_CODE,
      sentence: /^apiserver: --storage-dir=\S+: \S+\/data\.mdb is not a file of an embedded store, .*restore a backup$/m,
      prepare: damageStore,
    },
    {
      error: 'an unknown controller',
      flags: ['--controllers=*,nope'],
      code: USAGE_EXIT_CODE,
      sentence: /^controllers: --controllers: there is no controller "nope"$/m,
    },
    {
      error: 'a flag that the API server refuses',
      flags: ['--audit-log-maxage=x'],
      code: USAGE_EXIT_CODE,
      sentence: /^apiserver: .*audit-log-maxage/m,
    },
  ])(
    'ends without a restart, and with one sentence about $error',
    async ({ flags = [], code, sentence, prepare }) => {
      prepare?.();
      const refused = start(location(), ...flags);
      expect((await refused.exited).code).toBe(code);
      expect(refused.output).toMatch(sentence);
      // Neither a restart, nor readiness, nor the lines of a stack trace.
      expect(refused.output).not.toMatch(/starting it again|is ready|\n +at /);
    },
    60_000,
  );
});
