/** The reading of kubeconfigs: merged files, contexts, and errors that name the file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WORKLOAD_NAMES } from '../../names/workload';
import { ConfigError, workloadConfig } from './client-config';
import { parseKubeconfig, readKubeconfig } from './kubeconfig';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function config(user: string, cluster = 'server: https://h:1'): string {
  return `
clusters: [{name: c, cluster: {${cluster}}}]
users: [{name: u, user: {${user}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`;
}

test('readKubeconfig reads certificates from the file and from paths relative to it', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kubeconfig-'));
  try {
    writeFileSync(path.join(folder, 'key.pem'), 'KEY');
    const file = path.join(folder, 'config');
    const user = `client-certificate-data: ${base64('CERT')}, client-key: key.pem`;
    writeFileSync(file, config(user, `server: "https://h:1/", certificate-authority-data: ${base64('CA')}, tls-server-name: n`));
    const read = readKubeconfig(file);
    expect(read.servers.map(String)).toEqual(['https://h:1/']);
    expect(read.tls).toEqual({ ca: 'CA', cert: 'CERT', key: 'KEY', servername: 'n' });
    expect(read.credentials).toEqual({ type: 'none' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ['token: t', { type: 'token', token: 't' }],
  ['token: t, tokenFile: sub/f', { type: 'token-file', file: '/dir/sub/f' }],
  ['username: a, password: b', { type: 'basic', user: 'a', password: 'b' }],
])('parseKubeconfig reads the credentials of a user with %s', (user, expected) => {
  expect(parseKubeconfig(config(user), '/dir/config').credentials).toEqual(expected);
});

test.each(['', '{name: u}', '{name: u, user: }', '{name: u, user: null}', '{name: u, user: {}}'])(
  'parseKubeconfig treats a user without credentials as anonymous: %j',
  (user) => {
    const context = `contexts: [{name: x, context: {cluster: c${user === '' ? '' : ', user: u'}}}]`;
    const text = `clusters: [{name: c, cluster: {server: "https://h:1"}}]\nusers: [${user}]\n${context}\ncurrent-context: x\n`;
    expect(parseKubeconfig(text, 'f').credentials).toEqual({ type: 'none' });
  },
);

test('parseKubeconfig replaces the server of the file by the given servers', () => {
  const read = parseKubeconfig(config('token: t'), 'f', { servers: ['https://a:1', 'b:2'] });
  expect(read.servers.map(({ origin }) => origin)).toEqual(['https://a:1', 'https://b:2']);
});

test.each([
  ['', 'is empty'],
  ['a: [', 'is not YAML'],
  ['a: b', 'has no current-context'],
  ['current-context: y', 'has no entry "y" in contexts'],
  [config('token: t', 'server: "ftp://h"'), 'must start with https:// or http://'],
  [config('token: t', 'server: ""'), 'has no server'],
  [config('client-certificate-data: YQ=='), 'only one of client-certificate and client-key'],
  [config('client-certificate: /nope/x, client-key: /nope/y'), 'cannot read /nope/x'],
  [config('exec: {command: x}'), 'has no apiVersion'],
  [config('auth-provider: {name: x}'), 'uses auth-provider'],
  [config('token: 5'), 'has a token that is no text'],
])('parseKubeconfig rejects an unusable file with the reason: %j', (text, message) => {
  expect(() => parseKubeconfig(text, 'f')).toThrow(ConfigError);
  expect(() => parseKubeconfig(text, 'f')).toThrow(message);
});

test('workloadConfig takes the server from the environment, under either dialect', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'workload-'));
  try {
    writeFileSync(path.join(folder, 'ca.crt'), 'CA');
    const names = Object.values(WORKLOAD_NAMES).map((row) => ({ ...row, tokenFolder: folder }));
    const config = workloadConfig({ KUBERNETES_SERVICE_HOST: '::1', KUBERNETES_SERVICE_PORT: '443' }, names);
    expect(config.servers.map(String)).toEqual(['https://[::1]/']);
    expect(config.tls.ca).toBe('CA');
    expect(config.credentials).toEqual({ type: 'token-file', file: path.join(folder, 'token') });
    expect(() => workloadConfig({}, names)).toThrow('not inside a cluster');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
