/**
 * Service account tokens in Secrets over HTTP with two replicas. The expected responses are those of the reference
 * server.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { readPrivateKey, readPublicKeys } from '../../../shared/api/identity/token-keys';
import { waitUntil } from '../../support/programs';
import { useResource } from '../../support/use-resource';
import type { ApiResponse } from './api-call';
import { useReplicas } from './fixture';
import { serviceAccountOptions } from './fixture-options';

const HOST = 'https://kubernetes.default.svc';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const SECRETS = '/api/v1/namespaces/default/secrets';
const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const keys = { verifying: readPublicKeys('sa.key', pem), signing: readPrivateKey('sa.key', pem) };

const replicas = useReplicas({
  naming: 'kubernetes',
  apiAudiences: [HOST],
  serviceAccounts: serviceAccountOptions({ issuers: [HOST], keys: () => keys, extendExpiration: true }),
});
const [api, otherReplica] = replicas;
const token = useResource(async () => {
  const account = await api.create(ACCOUNTS, { metadata: { name: 'sa' } });
  const issued = issueToken(Object(account.json['metadata']).uid);
  await api.create(SECRETS, {
    metadata: { name: 's', annotations: { 'kubernetes.io/service-account.name': 'sa' } },
    type: 'kubernetes.io/service-account-token',
    stringData: { token: issued },
  });
  return issued;
});

function issueToken(uid: string): string {
  const claims = {
    iss: 'kubernetes/serviceaccount',
    'kubernetes.io/serviceaccount/namespace': 'default',
    'kubernetes.io/serviceaccount/secret.name': 's',
    'kubernetes.io/serviceaccount/service-account.name': 'sa',
    'kubernetes.io/serviceaccount/service-account.uid': uid,
    sub: 'system:serviceaccount:default:sa',
  };
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', kid: keys.signing.id })}.${part(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), pair.privateKey).toString('base64url')}`;
}

const today = (): string => new Date().toISOString().slice(0, 10);
const requestVersion = (replica = api): Promise<ApiResponse> => replica.get('/version', { token: token() });
const setInvalidSince = (value: string): Promise<ApiResponse> =>
  api.mergePatch(`${SECRETS}/s`, { metadata: { labels: { [INVALID_SINCE]: value } } });

describe('a token in a Secret', () => {
  it('is tracked since the day that a ConfigMap records', async () => {
    const path = '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking';
    await waitUntil('the ConfigMap', async () => (await otherReplica.get(path)).status === 200);
    expect(await otherReplica.read(path)).toMatchObject({ data: { since: today() } });
  });

  it('authenticates its account, and its Secret gets a label with the day of its use', async () => {
    const responses = await Promise.all([...replicas, ...replicas].map(requestVersion));
    for (const { status, warnings } of responses) expect([status, warnings]).toEqual([200, []]);
    const labels = `"labels":${JSON.stringify({ [LAST_USED]: today() })}`;
    await waitUntil('the label', async () => (await otherReplica.get(`${SECRETS}/s`)).text.includes(labels));
  });

  it('does not authenticate while a label of its Secret marks it as invalid', async () => {
    await setInvalidSince('2026-01-02');
    for (const replica of replicas) await waitUntil('a rejection', async () => (await requestVersion(replica)).status === 401);
    const review = await api.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: token() } });
    const error =
      '[invalid bearer token, the token in secret default/s for service account default/sa has been marked invalid. ' +
      'Use tokens from the TokenRequest API or manually created secret-based tokens, ' +
      `or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token]`;
    expect(review.json['status']).toEqual({ user: {}, error });
    await setInvalidSince('');
    expect((await requestVersion()).status).toBe(200);
  });

  it('gets a warning when a controller created its Secret', async () => {
    await api.mergePatch(`${ACCOUNTS}/sa`, { secrets: [{ name: 's' }] });
    const warnings = await waitUntil('a warning', async () => {
      const { warnings: current } = await requestVersion();
      return current.length > 0 && current;
    });
    const advice = 'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based';
    expect(warnings).toEqual([`${advice} tokens.`]);
  });

  it('is counted by the origin of its Secret and the outcome', async () => {
    const lines = (await api.metrics()).matchAll(/^serviceaccount_(\w*legacy\w*) (\d+)$/gm);
    const counts: Record<string, number> = Object.fromEntries([...lines].map(([, name = '', count]) => [name, Number(count)]));
    const { legacy_tokens_total: total = 0, ...uses } = counts;
    expect(uses).toMatchObject({ legacy_auto_token_uses_total: 1 });
    expect(uses['legacy_manual_token_uses_total']).toBeGreaterThanOrEqual(3);
    expect(uses['invalid_legacy_auto_token_uses_total']).toBeGreaterThanOrEqual(2);
    expect(Object.values(uses).reduce((sum, count) => sum + count)).toBe(total);
  });
});
