/**
 * An API server on an unsuitable store: of another program, of a newer version, of a cluster with other names or
 * settings, or with values that it cannot read.
 */
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { ApiClient } from '../../support/http/api-client';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';
import { freePort } from '../../support/ports';
import {
  launchApiServer,
  removeFolder,
  startApiServer,
  temporaryFolder,
  waitUntil,
  type ApiServer,
  type ApiServerOptions,
  type ProgramProcess,
} from '../../support/programs';
import { openEmbedded, openEtcd } from '../../support/store/open-stores';
import { put, remove } from '../../support/store/store-helpers';
import { stopAfterTest, useClosable, useFolder, useForEachTest, useResource } from '../../support/use-resource';

const killAfterTest = stopAfterTest((process: ProgramProcess) => process.kill());

/** Starts a server that may fail to start. It is killed after the test. */
const launch = async (options: ApiServerOptions): Promise<ProgramProcess> => killAfterTest(await launchApiServer(options));

/** The output of a server that exits with 78 (a configuration error) instead of starting. */
async function outputOfFailedStart(options: Omit<ApiServerOptions, 'securePort'>): Promise<string> {
  const process = await launch({ ...options, securePort: await freePort() });
  expect((await process.exited).code).toBe(78);
  return process.output;
}

/** Writes an encryption configuration with keys, by name, of one repeated letter. The first one encrypts Secrets. */
function writeEncryptionKeys(file: string, letters: Readonly<Record<string, string>>): void {
  const keys = Object.entries(letters).map(([name, letter]) => ({ name, secret: Buffer.alloc(32, letter).toString('base64') }));
  const resources = [{ resources: ['secrets'], providers: [{ aesgcm: { keys } }] }];
  writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources }));
}

/** Where lmdb's meta pages, which are the first two of a file, have the format version and the page size. */
const VERSION_OFFSET = 28;
const PAGE_SIZE_OFFSET = 48;
/** A format version that no release of lmdb has, little-endian. */
const UNKNOWN_VERSION = Buffer.of(9, 0, 0, 0);

/** The value of the key that marks the format of the stored data, from a newer server. */
const newerFormat = JSON.stringify({ format: 'cluster-control-plane', version: 99, naming: 'platform' });

describe('an API server on an embedded store', () => {
  const storeFolder = useForEachTest(
    () => {
      const folder = temporaryFolder('operate-store');
      mkdirSync(path.join(folder, 'store'));
      return { folder, data: path.join(folder, 'store', 'data.mdb') };
    },
    ({ folder }) => removeFolder(folder),
  );

  /** Creates a store with one key. */
  async function createStoreWith(key: string, value: string): Promise<void> {
    const store = await openEmbedded(path.join(storeFolder().folder, 'store'));
    await put(store, key, value);
    await store.close();
  }

  test('exits when the data file is not a store, and leaves it unchanged', async () => {
    const { folder, data } = storeFolder();
    const text = 'this is no store\n'.repeat(1_000);
    writeFileSync(data, text);
    expect(await outputOfFailedStart({ folder })).toMatch(
      /data\.mdb is not a file of an embedded store, or is damaged: name the right folder/,
    );
    expect(readFileSync(data, 'utf8')).toBe(text);
  }, 60_000);

  test('exits when the data file has a newer lmdb format', async () => {
    const { folder, data } = storeFolder();
    await createStoreWith('/registry/a', 'x');
    const pageSize = readFileSync(data).readUInt32LE(PAGE_SIZE_OFFSET);
    const file = openSync(data, 'r+');
    for (const metaPage of [0, pageSize]) writeSync(file, UNKNOWN_VERSION, 0, UNKNOWN_VERSION.length, metaPage + VERSION_OFFSET);
    closeSync(file);
    expect(await outputOfFailedStart({ folder })).toMatch(
      /data\.mdb was written by another version of lmdb .*: use the program that wrote it/,
    );
  }, 60_000);

  test('exits when the data come from a newer server', async () => {
    const { folder } = storeFolder();
    await createStoreWith('/registry/platform-format', newerFormat);
    expect(await outputOfFailedStart({ folder })).toMatch(/has format version 99, and this server reads version \d+; use a newer server/);
  }, 60_000);

  test('logs values whose encryption key is missing, and serves all others', async () => {
    const { folder } = storeFolder();
    const configuration = path.join(folder, 'encryption.json');
    const args = [`--encryption-provider-config=${configuration}`];
    const secrets = '/api/v1/namespaces/default/secrets';
    const securePort = await freePort();
    writeEncryptionKeys(configuration, { key: 'a' });
    const withRightKey = await startApiServer({ folder, securePort, args });
    const client = new ApiClient(withRightKey.address, withRightKey.certificates);
    expect((await client.send('POST', secrets, { metadata: { name: 's' } })).status).toBe(201);
    await withRightKey.process.stop();
    writeEncryptionKeys(configuration, { key: 'b' });
    const withWrongKey = await launch({ folder, securePort, args });
    const line = await waitUntil(
      'the log to name the value',
      () => withWrongKey.output.split('\n').find((text) => text.includes('a stored value cannot be decoded')),
      30_000,
    );
    expect(JSON.parse(line)).toMatchObject({ level: 'error', type: 'secrets', key: 'default/s' });
    expect(line).toMatch(/give this server the key that it is encrypted with/);
    const isServed = (url: string) => (): Promise<boolean> =>
      client.get(url).then(
        ({ status }) => status === 200,
        () => false,
      );
    await waitUntil('other objects to be served', isServed('/api/v1/namespaces/default'), 30_000);
    // Objects are served before the start is complete.
    await waitUntil('the start to complete', isServed('/livez'), 30_000);
    expect((await client.get(`${secrets}/s`)).status).toBe(500);
    // A list would leave out the value that cannot be read, so it is rejected, as by the reference server.
    expect((await client.get(secrets)).status).toBe(429);
    expect((await client.get('/livez')).status).toBe(200);
    expect((await client.get('/readyz')).status).toBe(500);
    client.close();
    expect(await withWrongKey.stop()).toBe(0);
  }, 90_000);

  const MISSING_KEY = 'secrets: 1 object needs key "a" of provider aesgcm';
  /** Flags for the keys in a file, which may change at run time. */
  const reloadedKeys = (file: string): readonly string[] => [
    `--encryption-provider-config=${file}`,
    '--encryption-provider-config-automatic-reload',
  ];

  /** Starts a server that encrypts a Secret `s` with the key `a`. The server ends with the test, which closes the client. */
  async function startWithSecret(
    folder: string,
    configuration: string,
  ): Promise<{ readonly server: ApiServer; readonly client: ApiClient }> {
    writeEncryptionKeys(configuration, { a: 'a' });
    const server = await startApiServer({ folder, securePort: await freePort(), args: reloadedKeys(configuration) });
    killAfterTest(server.process);
    const client = new ApiClient(server.address, server.certificates);
    expect((await client.send('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 's' } })).status).toBe(201);
    return { server, client };
  }

  test('keeps a key that objects need when it is removed from the configuration at run time', async () => {
    const { folder } = storeFolder();
    const configuration = path.join(folder, 'encryption.json');
    const { server, client } = await startWithSecret(folder, configuration);
    writeEncryptionKeys(configuration, { b: 'b' });
    const check = '/readyz/configuration/encryption-provider-config';
    await waitUntil('the configuration to be rejected', async () => (await client.get(check)).text.includes(MISSING_KEY), 30_000);
    expect((await client.get('/readyz?verbose')).text).toContain('[!]configuration/encryption-provider-config failed');
    expect((await client.get('/api/v1/namespaces/default/secrets/s')).status).toBe(200);
    expect(server.process.output).toContain('the changed configuration cannot be used, the previous one stays in use');
    client.close();
  }, 60_000);

  test('exits when objects need a key that is not configured', async () => {
    const { folder } = storeFolder();
    const configuration = path.join(folder, 'encryption.json');
    const { server, client } = await startWithSecret(folder, configuration);
    client.close();
    await server.process.stop();
    writeEncryptionKeys(configuration, { b: 'b' });
    const args = reloadedKeys(configuration);
    expect(await outputOfFailedStart({ folder, args })).toContain(MISSING_KEY);
    expect(await outputOfFailedStart({ folder })).toMatch(
      /^apiserver: --encryption-provider-config: stored objects need keys .*secrets: 1 object/m,
    );
    writeEncryptionKeys(configuration, { b: 'b', a: 'a' });
    const restarted = await startApiServer({ folder, securePort: await freePort(), args });
    expect(await restarted.process.stop()).toBe(0);
  }, 120_000);

  test('exits when the data were written with another --naming', async () => {
    const { folder } = storeFolder();
    const first = await startApiServer({ folder, securePort: await freePort() });
    await first.process.stop();
    expect(await outputOfFailedStart({ folder, args: ['--naming=kubernetes'] })).toMatch(
      /was written with --naming=platform; start the server with it/,
    );
  }, 60_000);
});

describeWithEtcd('an API server on a prefix in etcd', () => {
  const folder = useFolder('operate-prefix');
  const etcd = useResource(startEtcd, (started) => started.dispose());
  const store = useClosable(() => openEtcd(etcd().endpoint));
  const endAfterTest = stopAfterTest(({ process }: ApiServer) => process.stop(), 30_000);

  async function start(prefix: string, options: { readonly folder?: string; readonly args?: readonly string[] } = {}): Promise<ApiServer> {
    const { args = [] } = options;
    const serverOptions = { folder: options.folder ?? folder, securePort: await freePort(), etcdServers: etcd().endpoint };
    return endAfterTest(await startApiServer({ ...serverOptions, args: [`--etcd-prefix=${prefix}`, ...args] }));
  }

  interface ForeignData {
    readonly content: string;
    readonly prefix: string;
    /** The key that is stored below the prefix. */
    readonly key: string;
    readonly value: string;
    readonly message: RegExp;
  }
  test.each<ForeignData>([
    {
      content: 'keys of another program',
      prefix: '/other',
      key: 'pods/default/x',
      value: 'k8s',
      message: /holds keys under \/other\/ \(such as \/other\/pods\/default\/x\).*choose another --etcd-prefix/,
    },
    {
      content: 'the data of a newer server',
      prefix: '/newer',
      key: 'platform-format',
      value: newerFormat,
      message: /has format version 99.*use a newer server/,
    },
    {
      content: 'an invalid format mark',
      prefix: '/marked',
      key: 'platform-format',
      value: '{',
      message: /was not written by this server; choose another --etcd-prefix/,
    },
  ])(
    'exits when the prefix holds $content',
    async ({ prefix, key, value, message }) => {
      await put(store(), `${prefix}/${key}`, value);
      const args = [`--etcd-prefix=${prefix}`];
      expect(await outputOfFailedStart({ folder, etcdServers: etcd().endpoint, args })).toMatch(message);
    },
    60_000,
  );

  test('leaves out foreign keys and values written at run time, and logs the remedy', async () => {
    const prefix = '/mixed';
    const server = await start(prefix);
    const client = new ApiClient(server.address, server.certificates);
    const maps = '/api/v1/namespaces/default/configmaps';
    const body = { metadata: { name: 'ours' }, data: { a: '1' } };
    expect((await client.send('POST', maps, body)).status).toBe(201);
    await put(store(), `${prefix}/unknown/key`, 'x');
    await put(store(), `${prefix}/replicas/other`, 'no address');
    await put(store(), `${prefix}/ranges/serviceips`, 'k8s\0junk');
    await put(store(), `${prefix}/configmaps/default/foreign`, 'k8s\0junk');
    await waitUntil('the log to name the value', () => server.process.output.includes('a stored value cannot be decoded and is left out'));
    const line = server.process.output.split('\n').find((text) => text.includes('cannot be decoded and is left out')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ level: 'error', type: 'configmaps', key: 'default/foreign' });
    expect(line).toMatch(/find the program that also writes under this prefix, and restore or delete the value/);
    expect((await client.get(`${maps}/ours`)).status).toBe(200);
    expect((await client.get('/livez')).status).toBe(200);
    expect((await client.get('/readyz/informer-sync')).text).toContain('configmaps: 1 stored values cannot be read');
    expect((await client.send('PUT', `${maps}/ours`, { ...body, data: { a: '2' } })).status).toBe(200);
    await remove(store(), `${prefix}/configmaps/default/foreign`);
    await waitUntil('the server to be ready again', async () => (await client.get('/readyz')).status === 200);
    client.close();
  }, 60_000);

  test('logs the settings that differ when a server of another cluster uses the prefix', async () => {
    const secondFolder = temporaryFolder('operate-second');
    const first = await start('/shared');
    const second = await start('/shared', { folder: secondFolder, args: ['--service-cluster-ip-range=10.77.0.0/16'] });
    const findSettingsLine = (server: ApiServer): string | undefined =>
      server.process.output.split('\n').find((text) => text.includes('another API server on this store has different settings'));
    for (const server of [first, second]) {
      const line = await waitUntil('the log to name the other server', () => findSettingsLine(server), 90_000);
      expect(line).toMatch(/two clusters must not share an --etcd-prefix: stop the server that does not belong here/);
      expect(line).toMatch(/--service-cluster-ip-range: here [\d./]+, there [\d./]+/);
      expect(line).toMatch(/--service-account-key-file: here [\w-]+, there [\w-]+/);
    }
    removeFolder(secondFolder);
  }, 150_000);
});
