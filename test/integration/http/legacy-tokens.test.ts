/** Tokens that are kept in Secrets, over HTTP and by two replicas. What is expected was answered by the reference server. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { readPrivateKey, readPublicKeys } from '../../../shared/api/identity/token-keys';
import { MemoryStore } from '../../support/memory-store';
import { waitUntil } from '../../support/programs';
import { type Answer } from './call';
import { type Fixture, startFixture } from './fixture';

const HOST = 'https://kubernetes.default.svc';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const SECRETS = '/api/v1/namespaces/default/secrets';
const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const keys = { checking: readPublicKeys('sa.key', pem), signing: readPrivateKey('sa.key', pem) };

let replicas: readonly [Fixture, Fixture];
let token: string;

beforeAll(async () => {
  const options = {
    naming: 'kubernetes',
    apiAudiences: [HOST],
    serviceAccounts: { issuers: [HOST], keys: () => keys, extendExpiration: true },
  } as const;
  const store = new MemoryStore();
  replicas = await Promise.all([startFixture(options, store), startFixture(options, store)]);
  const account = await post(ACCOUNTS, { metadata: { name: 'sa' } });
  token = issue(/"uid":"([^"]+)"/.exec(account.text)?.[1] ?? '');
  await post(SECRETS, {
    metadata: { name: 's', annotations: { 'kubernetes.io/service-account.name': 'sa' } },
    type: 'kubernetes.io/service-account-token',
    stringData: { token },
  });
});
afterAll(() => Promise.all(replicas.map((replica) => replica.stop())));

function post(path: string, body: object): Promise<Answer> {
  return replicas[0].post(path, body);
}

function merge(path: string, body: object): Promise<Answer> {
  return replicas[0].merge(path, body);
}

function issue(uid: string): string {
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

/** Labels of the Secret, once they are as they should be. */
function labelled(expected: Readonly<Record<string, string>>): Promise<true> {
  const wanted = `"labels":${JSON.stringify(expected)}`;
  return waitUntil('the labels', async () => ((await replicas[1].get(`${SECRETS}/s`)).text.includes(wanted) ? true : undefined));
}

const use = (replica: Fixture): Promise<Answer> => replica.get('/version', { token });

async function counts(): Promise<Readonly<Record<string, number>>> {
  const { text } = await replicas[0].get('/metrics');
  return Object.fromEntries(
    [...text.matchAll(/^serviceaccount_(\w*legacy\w*) (\d+)$/gm)].map(([, name = '', count]) => [name, Number(count)]),
  );
}

it('says since which day their use is recorded', async () => {
  const path = '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking';
  const found = await waitUntil('the ConfigMap', async () => {
    const answer = await replicas[1].get(path);
    return answer.status === 200 ? answer : undefined;
  });
  expect(found.json).toMatchObject({ data: { since: today() } });
});

it('are good, and marked with the day of their use', async () => {
  const answers = await Promise.all([...replicas, ...replicas].map(use));
  for (const { status, headers } of answers) expect([status, headers['warning']]).toEqual([200, undefined]);
  await labelled({ [LAST_USED]: today() });
});

it('are refused while their Secret says so', async () => {
  await merge(`${SECRETS}/s`, { metadata: { labels: { [INVALID_SINCE]: '2026-01-02' } } });
  for (const replica of replicas) await waitUntil('a refusal', async () => (await use(replica)).status === 401);
  const review = await post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
  const error =
    '[invalid bearer token, the token in secret default/s for service account default/sa has been marked invalid. ' +
    'Use tokens from the TokenRequest API or manually created secret-based tokens, ' +
    `or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token]`;
  expect(review.json['status']).toEqual({ user: {}, error });
  await merge(`${SECRETS}/s`, { metadata: { labels: { [INVALID_SINCE]: '' } } });
  expect((await use(replicas[0])).status).toBe(200);
});

it('are discouraged where a controller made them', async () => {
  await merge(`${ACCOUNTS}/sa`, { secrets: [{ name: 's' }] });
  const { headers } = await waitUntil('a warning', async () => {
    const answer = await use(replicas[0]);
    return answer.headers['warning'] === undefined ? undefined : answer;
  });
  expect(headers['warning']).toBe(
    '299 - "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens."',
  );
});

it('are counted', async () => {
  const { legacy_tokens_total: all = 0, ...uses } = await counts();
  expect(uses).toMatchObject({ legacy_auto_token_uses_total: 1 });
  expect(uses['legacy_manual_token_uses_total']).toBeGreaterThanOrEqual(3);
  expect(uses['invalid_legacy_auto_token_uses_total']).toBeGreaterThanOrEqual(2);
  expect(Object.values(uses).reduce((sum, count) => sum + count)).toBe(all);
});
