import { load } from 'js-yaml';
import { parseKubeconfig } from '../../shared/client/kubeconfig/kubeconfig';
import { mergeKubeconfig, type KubeconfigEntry } from './merge-kubeconfig';

const PEM = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
const ENTRY: KubeconfigEntry = {
  name: 'platform',
  server: 'https://127.0.0.1:6443',
  authority: PEM,
  credential: { certificate: PEM, key: 'key' },
  isCurrent: true,
  overwrites: false,
};

const OTHER = `apiVersion: v1
kind: Config
current-context: work
preferences: {colors: true}
clusters: [{name: work, cluster: {server: "https://work.example"}}]
users: [{name: me, user: {token: "0123"}}]
contexts: [{name: work, context: {cluster: work, user: me, namespace: shop}}]
extensions: []
`;

const serverOf = (text: string, context: string): string | undefined => parseKubeconfig(text, 'f', { context }).servers[0]?.href;

describe('mergeKubeconfig', () => {
  it.each(['', '\n', '# nothing\n', '{}'])('creates a whole kubeconfig from %j', (text) => {
    const merged = mergeKubeconfig(text, ENTRY);
    const { servers, tls } = parseKubeconfig(merged, 'f');
    expect(servers[0]?.href).toBe('https://127.0.0.1:6443/');
    expect(String(tls.ca)).toBe(PEM);
    expect(String(tls.cert)).toBe(PEM);
    expect(String(tls.key)).toBe('key');
    expect(load(merged)).toMatchObject({ apiVersion: 'v1', kind: 'Config' });
  });

  it('keeps other entries and members', () => {
    const merged = mergeKubeconfig(OTHER, ENTRY);
    const value = load(merged);
    expect(value).toMatchObject({ preferences: { colors: true }, extensions: [], 'current-context': 'platform' });
    expect(value).toHaveProperty('contexts.0', { name: 'work', context: { cluster: 'work', user: 'me', namespace: 'shop' } });
    expect(value).toHaveProperty('users.0', { name: 'me', user: { token: '0123' } });
    expect(serverOf(merged, 'work')).toBe('https://work.example/');
  });

  it('leaves the current context when the merged one is not to be current', () => {
    expect(load(mergeKubeconfig(OTHER, { ...ENTRY, isCurrent: false }))).toMatchObject({ 'current-context': 'work' });
  });

  it('replaces its own entries when it merges again', () => {
    const again = mergeKubeconfig(mergeKubeconfig(OTHER, ENTRY), { ...ENTRY, server: 'https://127.0.0.1:7443' });
    const value = load(again);
    for (const list of ['clusters', 'users', 'contexts']) expect(value).toHaveProperty(`${list}.length`, 2);
    expect(serverOf(again, 'platform')).toBe('https://127.0.0.1:7443/');
  });

  it('replaces a cluster on another machine only when it overwrites', () => {
    const work = { ...ENTRY, name: 'work' };
    expect(() => mergeKubeconfig(OTHER, work)).toThrow('has a cluster "work" at https://work.example; choose another name with --context');
    expect(serverOf(mergeKubeconfig(OTHER, { ...work, overwrites: true }), 'work')).toBe('https://127.0.0.1:6443/');
  });

  it.each([
    ['[]', 'does not hold one mapping'],
    ['{}\n---\n{}', 'does not hold one mapping'],
    ['kind: Pod', 'is a "Pod" and no Config'],
    ['clusters: {}', 'has clusters that are no list of mappings'],
    ['users: [1]', 'has users that are no list of mappings'],
    ['a: [', 'is not YAML'],
  ])('refuses the file %j', (text, message) => {
    expect(() => mergeKubeconfig(text, ENTRY)).toThrow(message);
  });
});
