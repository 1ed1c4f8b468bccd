import type { RestClient } from '../../shared/client/rest/rest-client';
import { systemRandom } from '../../shared/runtime/random';
import { isBootstrapTokenId, parseBootstrapToken } from '../../shared/api/identity/bootstrap-token';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { createToken, deleteToken, formatToken, generateToken, listTokens, type TokenSettings } from './bootstrap-tokens';

const { signal } = new AbortController();
const SECRETS = '/api/v1/secrets';
const settings: TokenSettings = {
  token: { id: 'abcdef', secret: '0123456789abcdef' },
  description: 'rack 7',
  expiresAt: Date.UTC(2026, 0, 1),
  usages: ['authentication', 'signing'],
  groups: ['system:bootstrappers:a', 'system:bootstrappers:b'],
};

/** Moves `stringData` to `data`, as an API server does. */
function storeSecret(
  api: ReturnType<typeof fakeClient>['api'],
  namespace: string,
  data: Readonly<Record<string, string>>,
  name: string,
): void {
  const encoded = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
  api.put(SECRETS, { metadata: { namespace, name }, data: encoded });
}

describe('createToken', () => {
  it('stores a Secret with the names and keys of kubeadm', async () => {
    const { api, client } = fakeClient({ dialect: 'kubernetes' });
    await createToken(client, settings, signal);
    expect(api.get(SECRETS, 'kube-system', 'bootstrap-token-abcdef')).toMatchObject({
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        'token-id': 'abcdef',
        'token-secret': '0123456789abcdef',
        description: 'rack 7',
        expiration: '2026-01-01T00:00:00Z',
        'usage-bootstrap-authentication': 'true',
        'usage-bootstrap-signing': 'true',
        'auth-extra-groups': 'system:bootstrappers:a,system:bootstrappers:b',
      },
    });
  });

  it('leaves out the keys of what the token does not have', async () => {
    const { api, client } = fakeClient();
    await createToken(client, { ...settings, description: '', expiresAt: Infinity, usages: [], groups: [] }, signal);
    expect(api.get(SECRETS, 'platform-system', 'bootstrap-token-abcdef')).toMatchObject({
      type: 'bootstrap.platform.io/token',
      stringData: { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef' },
    });
  });

  it('rejects when the id is in use', async () => {
    const { client } = fakeClient();
    await createToken(client, settings, signal);
    await expect(createToken(client, settings, signal)).rejects.toMatchObject({ code: 409 });
  });
});

describe('listTokens', () => {
  const tokensOf = (client: RestClient) => listTokens(client, signal);

  it('reads what a token has, and sorts by id', async () => {
    const { api, client } = fakeClient();
    storeSecret(api, 'platform-system', { 'token-id': 'zzzzzz', 'token-secret': 's' }, 'bootstrap-token-zzzzzz');
    const data = {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      description: 'rack 7',
      expiration: '2026-01-01T00:00:00Z',
      'usage-bootstrap-authentication': 'true',
      'usage-bootstrap-signing': 'true',
      'auth-extra-groups': 'system:bootstrappers:a,system:bootstrappers:b',
    };
    storeSecret(api, 'platform-system', data, 'bootstrap-token-abcdef');
    expect(await tokensOf(client)).toEqual([
      settings,
      { token: { id: 'zzzzzz', secret: 's' }, description: '', expiresAt: Infinity, usages: [], groups: [] },
    ]);
  });

  it('leaves out Secrets without a valid id or secret, and those of another name', async () => {
    const { api, client } = fakeClient();
    storeSecret(api, 'platform-system', { 'token-id': 'ABCDEF', 'token-secret': 's' }, 'bootstrap-token-ABCDEF');
    storeSecret(api, 'platform-system', { 'token-id': 'abcdef' }, 'bootstrap-token-abcdef');
    storeSecret(api, 'platform-system', { 'token-id': 'ghijkl', 'token-secret': 's' }, 'other');
    expect(await tokensOf(client)).toEqual([]);
  });
});

test('deleteToken removes the Secret of the token, and rejects without one', async () => {
  const { api, client } = fakeClient();
  await createToken(client, settings, signal);
  await deleteToken(client, 'abcdef', signal);
  expect(api.objectsIn(SECRETS)).toEqual([]);
  await expect(deleteToken(client, 'abcdef', signal)).rejects.toMatchObject({ code: 404 });
});

test('generateToken returns a valid token, another one each time', () => {
  const [a, b] = [generateToken(systemRandom), generateToken(systemRandom)];
  expect(parseBootstrapToken(formatToken(a))).toEqual(a);
  expect(isBootstrapTokenId(b.id)).toBe(true);
  expect(b.secret).not.toBe(a.secret);
});
