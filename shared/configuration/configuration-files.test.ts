/** Configuration files in a temporary folder: which are refused and why, and reloads when a file changes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { silentLogger } from '../runtime/logger';
import { noFileEvents } from '../../test/support/no-file-events';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { ConfigurationFiles, NotYetUsableError } from './configuration-files';
import { ConfigurationError } from './configuration-error';
import { readConfiguration, type ConfigurationFormat } from './read-configuration';
import {
  anyObjectSchema,
  DURATION_FORMAT,
  booleanSchema,
  integerSchema,
  listSchema,
  mapSchema,
  objectSchema,
  stringSchema,
  enumSchema,
  type ValueOf,
} from './schema';

const SCHEMA = objectSchema(
  { mode: enumSchema('Deny', 'Allow') },
  {
    issuers: listSchema(
      objectSchema(
        { url: stringSchema('uri') },
        { timeout: stringSchema(DURATION_FORMAT), audiences: listSchema(stringSchema(), 1), cached: booleanSchema },
      ),
    ),
    extra: mapSchema(stringSchema()),
    size: integerSchema(1, 9),
    metadata: anyObjectSchema,
  },
);

const FORMAT: ConfigurationFormat<ValueOf<typeof SCHEMA>> = {
  kind: 'Gate',
  apiVersions: ['authorization.platform.io/v1', 'authorization.platform.io/v1beta1'],
  schema: SCHEMA,
  validate: ({ mode, issuers = [] }) =>
    issuers.flatMap(({ url }, index) =>
      mode === 'Deny' ? [{ path: `issuers[${index}].url`, reason: `no ${url} where all is denied` }] : [],
    ),
};

let folder: string;
let file: string;
const clock = new ManualClock();
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'configured-'));
  file = path.join(folder, 'gate.yaml');
});
afterEach(() => rmSync(folder, { recursive: true }));

const HEAD = 'apiVersion: authorization.k8s.io/v1\nkind: Gate\n';

/** The intervals of shared/runtime/files/file-watch.ts: at which files are compared, and at which retries are made. */
const COMPARISON_INTERVAL_MS = 60_000;
const RETRY_INTERVAL_MS = 10_000;

/** The message of the error for a file with this text. */
async function errorOf(text: string): Promise<string> {
  writeFileSync(file, text);
  const error: unknown = await readConfiguration(file, [FORMAT], clock).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigurationError)) throw new Error(`not rejected: ${String(error)}`);
  return error.message.replace(file, 'FILE');
}

it.each(['authorization.k8s.io/v1', 'authorization.platform.io/v1beta1'])(
  'readConfiguration reads a file of the apiVersion %s that satisfies the schema',
  async (apiVersion) => {
    writeFileSync(
      file,
      `apiVersion: ${apiVersion}\nkind: Gate\nmode: Allow\nextra: null\nissuers:\n- url: https://a.example\n  timeout: 1m30s\n  cached: true\n`,
    );
    expect(await readConfiguration(file, [FORMAT], clock)).toEqual({
      mode: 'Allow',
      issuers: [{ url: 'https://a.example', timeout: '1m30s', cached: true }],
    });
  },
);

it.each([
  [
    'mode: Allow\n',
    'FILE: kind: apiVersion and kind must be Gate of authorization.platform.io/v1 or Gate of authorization.platform.io/v1beta1, not nothing',
  ],
  [
    'kind: Gate\nmode: Allow\n',
    'FILE: kind: apiVersion and kind must be Gate of authorization.platform.io/v1 or Gate of authorization.platform.io/v1beta1, not nothing',
  ],
  [
    'apiVersion: v1\nkind: Door\n',
    'FILE: kind: apiVersion and kind must be Gate of authorization.platform.io/v1 or Gate of authorization.platform.io/v1beta1, not "Door" of "v1"',
  ],
  [`${HEAD}mode: Perhaps\n`, 'FILE: mode: must be one of "Deny", "Allow"'],
  [`${HEAD}issuers: []\n`, 'FILE: mode: is required'],
  [`${HEAD}mode: Allow\nissuers:\n- url: nowhere\n`, 'FILE: issuers[0].url: must be of the form "uri"'],
  [`${HEAD}mode: Allow\nissuers:\n- url: a:b\n  timeout: 3\n`, 'FILE: issuers[0].timeout: must be a string'],
  [`${HEAD}mode: Allow\nissuers:\n- url: a:b\n  timeout: 3 days\n`, 'FILE: issuers[0].timeout: must be of the form "go-duration"'],
  [`${HEAD}mode: Allow\nissuers:\n- url: a:b\n  Url: c:d\n`, 'FILE: issuers[0].Url: is not a known field'],
  [`${HEAD}mode: Allow\nissuers:\n- url: a:b\n  audiences: []\n`, 'FILE: issuers[0].audiences: must NOT have fewer than 1 items'],
  [`${HEAD}mode: Allow\nextra:\n  a/b: 1\n`, 'FILE: extra["a/b"]: must be a string'],
  [`${HEAD}mode: Allow\nsize: 10\n`, 'FILE: size: must be <= 9'],
  [`${HEAD}mode: Allow\n__proto__:\n  mode: Deny\n`, 'FILE: __proto__: is not a known field'],
  [`${HEAD}mode: Deny\nissuers:\n- url: a:b\n`, 'FILE: issuers[0].url: no a:b where all is denied'],
  [`${HEAD}size: x\nother: 1\n`, 'FILE: mode: is required; other: is not a known field; size: must be an integer'],
  ['- 1\n', 'FILE: must be an object'],
  ['a: [\n', 'FILE: yaml: line 1: did not find expected node content'],
  [`${HEAD}mode: Allow\nmode: Deny\n`, 'FILE: line 4: key "mode" already set in map'],
])('readConfiguration rejects %j', async (text, message) => {
  expect(await errorOf(text)).toBe(message);
});

it('ConfigurationFiles reloads a file after a NotYetUsableError, and after other errors only when the file changes', async () => {
  const files = new ConfigurationFiles(clock, silentLogger, noFileEvents);
  let failure: Error | undefined;
  let loads = 0;
  const load = async (): Promise<readonly string[]> => {
    loads += 1;
    if (failure !== undefined) throw failure;
    return [file];
  };
  writeFileSync(file, HEAD);
  await files.loadAndWatch({ name: 'gate', path: file, load });
  const [live] = files.configurations;
  await clock.advanceAsync(RETRY_INTERVAL_MS);
  expect(loads).toBe(1);

  failure = new NotYetUsableError('the service is unavailable');
  writeFileSync(file, `${HEAD}# changed\n`);
  await clock.advanceAsync(COMPARISON_INTERVAL_MS - RETRY_INTERVAL_MS);
  expect(loads).toBe(2);
  await clock.advanceAsync(RETRY_INTERVAL_MS);
  expect(loads).toBe(3);
  expect(live).toMatchObject({ error: 'the service is unavailable', reloads: { success: 0, failure: 2 } });

  failure = new Error('it is wrong');
  await clock.advanceAsync(RETRY_INTERVAL_MS);
  expect(loads).toBe(4);
  await clock.advanceAsync(RETRY_INTERVAL_MS);
  expect(loads).toBe(4);
  expect(live).toMatchObject({ error: 'it is wrong', reloads: { success: 0, failure: 3 } });

  failure = undefined;
  writeFileSync(file, `${HEAD}# changed again\n`);
  await clock.advanceAsync(COMPARISON_INTERVAL_MS);
  expect(loads).toBe(5);
  expect(live).toMatchObject({ error: undefined, reloads: { success: 1, failure: 3 } });
  files.close();
});

it('ConfigurationFiles keeps the old configuration while a changed file is invalid, and uses the next valid one', async () => {
  const appliedModes: string[] = [];
  const files = new ConfigurationFiles(clock, silentLogger, noFileEvents);
  const changeMode = (mode: string): Promise<void> => {
    writeFileSync(file, `${HEAD}mode: ${mode}\n`);
    return clock.advanceAsync(COMPARISON_INTERVAL_MS);
  };
  writeFileSync(file, `${HEAD}mode: Deny\n`);
  await files.loadConfiguration({ name: 'gate', path: file, formats: [FORMAT], apply: ({ mode }) => void appliedModes.push(mode) });
  const [live] = files.configurations;
  await changeMode('Nothing');
  expect(appliedModes).toEqual(['Deny']);
  expect(live).toMatchObject({ name: 'gate', reloads: { success: 0, failure: 1 }, lastReload: { failure: clock.now() } });
  expect(live?.error).toBe(`${file}: mode: must be one of "Deny", "Allow"`);
  await changeMode('Allow');
  expect(appliedModes).toEqual(['Deny', 'Allow']);
  expect(live).toMatchObject({ error: undefined, reloads: { success: 1, failure: 1 } });
  files.close();
});

it('ConfigurationFiles reloads when a file changes that the configuration refers to since the start or since a reload', async () => {
  const first = path.join(folder, 'first');
  const second = path.join(folder, 'second');
  for (const referenced of [first, second]) writeFileSync(referenced, '1');
  /** What each load has read from the referenced files. */
  const contents: string[] = [];
  let references = [first];
  const files = new ConfigurationFiles(clock, silentLogger, noFileEvents);
  const load = (): Promise<string[]> => {
    contents.push(references.map((referenced) => readFileSync(referenced, 'utf8')).join());
    return Promise.resolve([file, ...references]);
  };
  await files.loadAndWatch({ name: 'gate', path: file, load });
  const [live] = files.configurations;
  // Files that a load has read before they were watched are read again.
  expect(contents).toEqual(['1', '1']);
  await clock.advanceAsync(2 * COMPARISON_INTERVAL_MS);
  expect(contents).toHaveLength(2);
  expect(live?.reloads).toEqual({ success: 0, failure: 0 });

  references = [first, second];
  writeFileSync(first, '22');
  await clock.advanceAsync(COMPARISON_INTERVAL_MS);
  // Twice, because `second` was not watched yet.
  expect(contents.slice(2)).toEqual(['22,1', '22,1']);
  expect(live?.reloads).toEqual({ success: 1, failure: 0 });

  writeFileSync(second, '333');
  await clock.advanceAsync(COMPARISON_INTERVAL_MS);
  expect(contents.slice(4)).toEqual(['22,333']);
  expect(live?.reloads).toEqual({ success: 2, failure: 0 });
  files.close();
});

it('ConfigurationFiles has no timers after close()', async () => {
  writeFileSync(file, HEAD);
  const files = new ConfigurationFiles(clock, silentLogger, noFileEvents);
  await files.loadAndWatch({ name: 'gate', path: file, load: () => Promise.resolve([file]) });
  expect(clock.pending).toBeGreaterThan(0);
  files.close();
  expect(clock.pending).toBe(0);
});

it('ConfigurationFiles rejects an invalid file at the start', async () => {
  const files = new ConfigurationFiles(clock, silentLogger, noFileEvents);
  writeFileSync(file, HEAD);
  await expect(files.loadConfiguration({ name: 'gate', path: file, formats: [FORMAT], apply: () => undefined })).rejects.toThrow(
    'mode: is required',
  );
  files.close();
});
