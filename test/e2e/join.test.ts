/** A machine joins a cluster of `npm start` with an address and a bootstrap token, and becomes a node with a certificate. */
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { request, type RequestOptions } from 'node:https';
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { certificateRequestOf } from '../replay/scenarios/certificate-request';
import { freePort } from '../support/ports';
import { startProgram, waitUntil } from '../support/programs';
import { useFolder, useResource } from '../support/use-resource';
import { readKubeconfig } from '../../shared/client/kubeconfig/kubeconfig';

const ID = 'abcdef';
const SECRET = '0123456789abcdef';

describe.each([
  { naming: 'platform', system: 'platform-system', open: 'platform-public', type: 'bootstrap.platform.io/token', key: `${ID}.${SECRET}` },
  { naming: 'kubernetes', system: 'kube-system', open: 'kube-public', type: 'bootstrap.kubernetes.io/token', key: SECRET },
])('with --naming=$naming', ({ naming, system, open, type, key }) => {
  const folder = useFolder(`join-${naming}`);
  const port = useResource(freePort);
  useResource(
    async () => {
      const flags = [`--data-dir=${folder}`, `--secure-port=${port()}`, `--naming=${naming}`];
      const local = startProgram('deploy/local/main.js', flags);
      await waitUntil('the control plane to be ready', () => local.output.includes('Ctrl-C ends it'));
      return local;
    },
    (local) => local.stop(),
    60_000,
  );
  const admin = useResource<RequestOptions>(() => readKubeconfig(`${folder}/admin.kubeconfig`).tls);

  function ask(
    method: string,
    path: string,
    who: RequestOptions,
    body?: JsonObject,
  ): Promise<{ code: number | undefined; body: JsonObject }> {
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: port(), method, path, agent: false, ...who };
      const headers = { 'content-type': 'application/json', ...who.headers };
      const sent = request({ ...options, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('end', () => {
          const parsed: JsonValue = JSON.parse(text);
          resolve({ code: response.statusCode, body: isObject(parsed) ? parsed : {} });
        });
      });
      sent.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  const secrets = `/api/v1/namespaces/${system}/secrets`;
  const info = `/api/v1/namespaces/${open}/configmaps/cluster-info`;
  /** Nobody vouches for the server yet. */
  const stranger: RequestOptions = { rejectUnauthorized: false };

  async function description(): Promise<JsonObject> {
    const { code, body } = await ask('GET', info, stranger);
    expect(code).toBe(200);
    return objectAt(body, 'data') ?? {};
  }

  async function makeToken(expiration: string): Promise<void> {
    const stringData = {
      'token-id': ID,
      'token-secret': SECRET,
      expiration,
      'usage-bootstrap-signing': 'true',
      'usage-bootstrap-authentication': 'true',
    };
    const { code } = await ask('POST', secrets, admin(), { metadata: { name: `bootstrap-token-${ID}` }, type, stringData });
    expect(code).toBe(201);
  }

  const later = (ms: number): string => `${new Date(Date.now() + ms).toISOString().slice(0, 19)}Z`;

  const domain = naming === 'platform' ? 'platform.io' : 'k8s.io';

  /** What an administrator gives to those who join, once. */
  async function letJoin(): Promise<void> {
    const roles = ['system:node-bootstrapper', `system:certificates.${domain}:certificatesigningrequests:nodeclient`];
    for (const [index, name] of roles.entries()) {
      const { code } = await ask('POST', `/apis/rbac.authorization.${domain}/v1/clusterrolebindings`, admin(), {
        metadata: { name: `join-${index}` },
        roleRef: { apiGroup: `rbac.authorization.${domain}`, kind: 'ClusterRole', name },
        subjects: [{ apiGroup: `rbac.authorization.${domain}`, kind: 'Group', name: 'system:bootstrappers' }],
      });
      expect(code).toBe(201);
    }
  }

  async function becomeNode(ca: Buffer, joining: RequestOptions): Promise<void> {
    const requests = `/apis/certificates.${domain}/v1/certificatesigningrequests`;
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const text = certificateRequestOf({ commonName: 'system:node:new', organizations: ['system:nodes'] }, keys);
    const signerName = `${naming}.io/kube-apiserver-client-kubelet`;
    const spec = { request: Buffer.from(text).toString('base64'), signerName, usages: ['digital signature', 'client auth'] };
    const metadata = { name: 'new' };
    expect((await ask('POST', requests, joining, { metadata, spec })).code).toBe(403);
    await letJoin();
    await waitUntil('leave to ask', async () => (await ask('POST', requests, joining, { metadata, spec })).code === 201);
    const issued = await waitUntil('a certificate', async () => {
      const { body } = await ask('GET', `${requests}/new`, joining);
      return stringAt(objectAt(body, 'status'), 'certificate');
    });
    const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' });
    const node = { ca, cert: Buffer.from(issued, 'base64'), key };
    expect((await ask('POST', '/api/v1/nodes', node, { metadata: { name: 'new' } })).code).toBe(201);
    expect((await ask('GET', '/api/v1/nodes/new', node)).code).toBe(200);
    expect((await ask('GET', secrets, node)).code).toBe(403);
    expect((await ask('POST', '/api/v1/nodes', node, { metadata: { name: 'other' } })).code).toBe(403);
  }

  test('a machine with a bootstrap token verifies the cluster info, is authenticated, and becomes a node', async () => {
    expect((await ask('GET', `/api/v1/namespaces/${open}/configmaps`, stranger)).code).toBe(403);
    await makeToken(later(3_600_000));
    const data = await waitUntil('the signature', async () => {
      const found = await description();
      return stringAt(found, `jws-kubeconfig-${ID}`) === undefined ? undefined : found;
    });
    const kubeconfig = stringAt(data, 'kubeconfig') ?? '';
    const [header = '', , signature] = (stringAt(data, `jws-kubeconfig-${ID}`) ?? '').split('.');
    expect(Buffer.from(header, 'base64url').toString()).toBe(`{"alg":"HS256","kid":"${ID}"}`);
    const payload = Buffer.from(kubeconfig).toString('base64url');
    expect(createHmac('sha256', key).update(`${header}.${payload}`).digest('base64url')).toBe(signature);

    expect(kubeconfig).toContain(`server: https://127.0.0.1:${port()}\n`);
    const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(kubeconfig)?.[1] ?? '', 'base64');
    const joining = { ca, headers: { authorization: `Bearer ${ID}.${SECRET}` } };
    const group = naming === 'platform' ? 'authentication.platform.io' : 'authentication.k8s.io';
    const who = await ask('POST', `/apis/${group}/v1/selfsubjectreviews`, joining, {
      kind: 'SelfSubjectReview',
      apiVersion: `${group}/v1`,
    });
    expect(who.body).toMatchObject({ status: { userInfo: { username: `system:bootstrap:${ID}` } } });
    await becomeNode(ca, joining);

    expect((await ask('DELETE', `${secrets}/bootstrap-token-${ID}`, admin())).code).toBe(200);
    await waitUntil('the signature to go', async () => stringAt(await description(), `jws-kubeconfig-${ID}`) === undefined);
  });

  test('an expired token is deleted with its signature', async () => {
    await makeToken(later(4_000));
    await waitUntil('the signature', async () => stringAt(await description(), `jws-kubeconfig-${ID}`));
    await waitUntil('the token to go', async () => (await ask('GET', `${secrets}/bootstrap-token-${ID}`, admin())).code === 404);
    await waitUntil('the signature to go', async () => stringAt(await description(), `jws-kubeconfig-${ID}`) === undefined);
  });
});
