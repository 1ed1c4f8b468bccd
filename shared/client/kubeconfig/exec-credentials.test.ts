/** Credentials of exec plug-ins: when a plug-in runs, what it receives, and which of its outputs are rejected. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { ConfigError, type ExecConfig } from './client-config';
import { ExecCredentials, type ExecOutcome } from './exec-credentials';
import { parseKubeconfig } from './kubeconfig';

const VERSION = 'client.authentication.k8s.io/v1';
const CONFIG: ExecConfig = {
  apiVersion: VERSION,
  command: 'plugin',
  args: [],
  env: [],
  installHint: '',
  interactiveMode: 'Never',
  cluster: undefined,
};
const credential = (status: object, more: object = {}): string =>
  JSON.stringify({ apiVersion: VERSION, kind: 'ExecCredential', status, ...more });

/** Credentials of a plugin; the test may replace the outcome of its runs, and `runs` has the info of each run. */
function setUp(output: string, changes: Partial<ExecConfig> = {}) {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const runs: string[] = [];
  const plugin: { outcome: ExecOutcome } = { outcome: { code: 0, output } };
  const credentials = new ExecCredentials({
    config: { ...CONFIG, ...changes },
    clock,
    run: (_config, info) => {
      runs.push(info);
      return Promise.resolve(plugin.outcome);
    },
  });
  return { clock, runs, plugin, credentials };
}

it('ExecCredentials runs the plugin once for concurrent requests, and again when the credential expires', async () => {
  const { clock, runs, plugin, credentials } = setUp(credential({ token: 'a', expirationTimestamp: '2026-01-01T00:10:00Z' }));
  const [first, second, pair] = await Promise.all([credentials.header(), credentials.header(), credentials.pair()]);
  expect(first).toBe('Bearer a');
  expect(second).toBe('Bearer a');
  expect(pair).toBeUndefined();
  expect(runs).toHaveLength(1);
  expect(JSON.parse(runs[0] ?? '')).toEqual({ kind: 'ExecCredential', apiVersion: VERSION, spec: { interactive: false } });
  plugin.outcome = { code: 0, output: credential({ token: 'b' }) };
  // The credential expires after ten minutes.
  clock.advance(599_999);
  expect(await credentials.header()).toBe('Bearer a');
  clock.advance(1);
  expect(await credentials.header()).toBe('Bearer b');
  // The second one does not expire.
  clock.advance(10 * 365 * 86_400_000);
  expect(await credentials.header()).toBe('Bearer b');
  expect(runs).toHaveLength(2);
});

it('ExecCredentials runs the plugin again after a 401 and returns whether the credential changed', async () => {
  const { plugin, credentials } = setUp(credential({ token: 'a' }));
  await credentials.header();
  expect(await credentials.refreshAfterRejection()).toBe(false);
  plugin.outcome = { code: 0, output: credential({ clientCertificateData: 'C', clientKeyData: 'K' }) };
  expect(await credentials.refreshAfterRejection()).toBe(true);
  expect(await credentials.header()).toBeUndefined();
  expect(await credentials.pair()).toEqual({ cert: 'C', key: 'K' });
});

it.each<[string, string, Partial<ExecConfig>, string]>([
  ['prints nothing', '', {}, 'plugin printed no valid credential'],
  ['prints something else', '{"kind":"Pod"}', {}, 'plugin printed no valid credential'],
  [
    'prints a credential of another version',
    credential({ token: 'a' }, { apiVersion: 'client.authentication.k8s.io/v1beta1' }),
    {},
    'in another version',
  ],
  ['prints neither a token nor a certificate', credential({}), {}, 'neither a token nor a certificate'],
  ['prints a key without a certificate', credential({ clientKeyData: 'K' }), {}, 'only one of'],
  ['prints an expirationTimestamp that is not a time', credential({ token: 'a', expirationTimestamp: 'soon' }), {}, 'is not a time'],
  ['requires an interactive terminal', credential({ token: 'a' }), { interactiveMode: 'Always' }, 'there is none'],
])('ExecCredentials rejects a plugin that %s', async (_title, output, changes, message) => {
  const { credentials } = setUp(output, changes);
  await expect(credentials.header()).rejects.toThrow(ConfigError);
  await expect(credentials.header()).rejects.toThrow(message);
});

it('ExecCredentials rejects a plugin that exits with a code other than 0', async () => {
  const { plugin, credentials } = setUp('');
  plugin.outcome = { code: 3, output: credential({ token: 'a' }) };
  await expect(credentials.header()).rejects.toThrow('plugin ended with 3');
});

describe('an exec plugin in a kubeconfig', () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'exec-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  /** The plug-in of a kubeconfig in the folder. */
  function configured(exec: object): ExecConfig {
    const text = JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://h:1', 'certificate-authority-data': 'Q0E=' } }],
      users: [{ name: 'u', user: { exec } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'c',
    });
    const { credentials } = parseKubeconfig(text, path.join(folder, 'config'));
    if (credentials.type !== 'exec') throw new Error(credentials.type);
    return credentials.exec;
  }

  it('is resolved relative to the file, and gets its arguments, its environment and the cluster', async () => {
    const script = path.join(folder, 'plugin.sh');
    const infoFile = path.join(folder, 'info.json');
    writeFileSync(
      script,
      `#!/bin/sh
echo "$KUBERNETES_EXEC_INFO" > "$INFO_FILE"
echo '{"apiVersion":"${VERSION}","kind":"ExecCredential","status":{"token":"'$1'"}}'
`,
    );
    chmodSync(script, 0o755);
    const exec = {
      apiVersion: VERSION,
      command: './plugin.sh',
      args: ['one'],
      env: [{ name: 'INFO_FILE', value: infoFile }],
      interactiveMode: 'IfAvailable',
      provideClusterInfo: true,
    };
    const header = await new ExecCredentials({ config: configured(exec), clock }).header();
    expect(header).toBe('Bearer one');
    expect(JSON.parse(readFileSync(infoFile, 'utf8'))).toEqual({
      kind: 'ExecCredential',
      apiVersion: VERSION,
      spec: { interactive: false, cluster: { server: 'https://h:1', 'certificate-authority-data': 'Q0E=' } },
    });
  });

  it('fails with its path and its installHint when it does not exist', async () => {
    const exec = { apiVersion: VERSION, command: './none', interactiveMode: 'Never', installHint: 'get it at example.com' };
    const header = new ExecCredentials({ config: configured(exec), clock }).header();
    await expect(header).rejects.toThrow(/none cannot be run: [^]*get it at example\.com/);
  });

  it.each<[object, string]>([
    [{ command: 'x', interactiveMode: 'Never' }, 'has no apiVersion'],
    [{ apiVersion: VERSION, interactiveMode: 'Never' }, 'has no command'],
    [{ apiVersion: 'client.authentication.k8s.io/v1alpha1', command: 'x' }, 'only v1 and v1beta1'],
    [{ apiVersion: VERSION, command: 'x' }, 'must have an interactiveMode'],
    [{ apiVersion: VERSION, command: 'x', interactiveMode: 'Sometimes' }, 'must have an interactiveMode'],
    [{ apiVersion: VERSION, command: 'x', interactiveMode: 'Never', args: [1] }, 'args that are not a list of strings'],
  ])('is rejected with the configuration %j', (exec, message) => expect(() => configured(exec)).toThrow(message));

  it('has the interactiveMode IfAvailable by default in v1beta1', () => {
    expect(configured({ apiVersion: 'client.authentication.k8s.io/v1beta1', command: 'x' }).interactiveMode).toBe('IfAvailable');
  });
});
