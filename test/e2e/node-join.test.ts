/**
 * A machine joins the cluster of `npm start` with its address and a bootstrap token, and registers as a node with a
 * signed certificate.
 */
import { createHmac, generateKeyPairSync } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { certificateRequestOf } from '../replay/scenarios/certificate-request';
import { sendOnce } from '../support/http/send-once';
import { freePort } from '../support/ports';
import { startPlatform, waitUntil } from '../support/programs';
import { useFolder, useResource } from '../support/use-resource';
import { readKubeconfig } from '../../shared/client/kubeconfig/kubeconfig';

/** The parts of the bootstrap token `abcdef.0123456789abcdef`. */
const ID = 'abcdef';
const SECRET = '0123456789abcdef';

interface Dialect {
  /** The value of the flag `--naming`. */
  readonly naming: string;
  /** The domain of the API groups. */
  readonly domain: string;
  readonly systemNamespace: string;
  readonly publicNamespace: string;
  /** The type of Secrets with bootstrap tokens. */
  readonly tokenType: string;
  /** Signs the published kubeconfig: upstream uses the secret part of the token, the other dialect the whole token. */
  readonly signingKey: string;
}

const DIALECTS: readonly Dialect[] = [
  {
    naming: 'platform',
    domain: 'platform.io',
    systemNamespace: 'platform-system',
    publicNamespace: 'platform-public',
    tokenType: 'bootstrap.platform.io/token',
    signingKey: `${ID}.${SECRET}`,
  },
  {
    naming: 'kubernetes',
    domain: 'k8s.io',
    systemNamespace: 'kube-system',
    publicNamespace: 'kube-public',
    tokenType: 'bootstrap.kubernetes.io/token',
    signingKey: SECRET,
  },
];

describe.each(DIALECTS)('with --naming=$naming', ({ naming, domain, systemNamespace, publicNamespace, tokenType, signingKey }) => {
  const folder = useFolder(`join-${naming}`);
  const port = useResource(freePort);
  useResource(
    () => startPlatform([`--data-dir=${folder}`, `--secure-port=${port()}`, `--naming=${naming}`]),
    (platform) => platform.stop(),
    60_000,
  );
  const admin = useResource<RequestOptions>(() => readKubeconfig(`${folder}/admin.kubeconfig`).tls);

  async function send(
    method: string,
    path: string,
    credentials: RequestOptions,
    body?: JsonObject,
  ): Promise<{ readonly code: number; readonly body: JsonObject }> {
    const headers = { 'content-type': 'application/json', ...credentials.headers };
    const options = { port: port(), method, path, ...credentials, headers };
    const { status, text } = await sendOnce(options, body === undefined ? undefined : JSON.stringify(body));
    const parsed: JsonValue = JSON.parse(text);
    return { code: status, body: isObject(parsed) ? parsed : {} };
  }

  const secretsPath = `/api/v1/namespaces/${systemNamespace}/secrets`;
  const clusterInfoPath = `/api/v1/namespaces/${publicNamespace}/configmaps/cluster-info`;
  /** Does not verify the server, because a joining machine does not have its authority yet. */
  const anonymous: RequestOptions = { rejectUnauthorized: false };

  async function readClusterInfo(): Promise<JsonObject> {
    const { code, body } = await send('GET', clusterInfoPath, anonymous);
    expect(code).toBe(200);
    return objectAt(body, 'data') ?? {};
  }

  async function createToken(expiration: string): Promise<void> {
    const stringData = {
      'token-id': ID,
      'token-secret': SECRET,
      expiration,
      'usage-bootstrap-signing': 'true',
      'usage-bootstrap-authentication': 'true',
    };
    const { code } = await send('POST', secretsPath, admin(), { metadata: { name: `bootstrap-token-${ID}` }, type: tokenType, stringData });
    expect(code).toBe(201);
  }

  /** RFC 3339 without fractions of a second, as `expiration` requires. */
  const timeAfter = (ms: number): string => `${new Date(Date.now() + ms).toISOString().slice(0, 19)}Z`;

  /** Creates the bindings that an administrator creates once for all joining nodes. */
  async function grantJoinPermissions(): Promise<void> {
    const roles = ['system:node-bootstrapper', `system:certificates.${domain}:certificatesigningrequests:nodeclient`];
    for (const [index, name] of roles.entries()) {
      const { code } = await send('POST', `/apis/rbac.authorization.${domain}/v1/clusterrolebindings`, admin(), {
        metadata: { name: `join-${index}` },
        roleRef: { apiGroup: `rbac.authorization.${domain}`, kind: 'ClusterRole', name },
        subjects: [{ apiGroup: `rbac.authorization.${domain}`, kind: 'Group', name: 'system:bootstrappers' }],
      });
      expect(code).toBe(201);
    }
  }

  const requestsPath = `/apis/certificates.${domain}/v1/certificatesigningrequests`;

  /** Requests a certificate for the node `new`, once an administrator has granted this, and returns its credentials. */
  async function requestNodeCertificate(joining: RequestOptions & { readonly ca: Buffer }): Promise<RequestOptions> {
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const text = certificateRequestOf({ commonName: 'system:node:new', organizations: ['system:nodes'] }, keys);
    const signerName = `${naming}.io/kube-apiserver-client-kubelet`;
    const spec = { request: Buffer.from(text).toString('base64'), signerName, usages: ['digital signature', 'client auth'] };
    const metadata = { name: 'new' };
    expect((await send('POST', requestsPath, joining, { metadata, spec })).code).toBe(403);
    await grantJoinPermissions();
    await waitUntil(
      'permission to create a request',
      async () => (await send('POST', requestsPath, joining, { metadata, spec })).code === 201,
    );
    const issued = await waitUntil('a certificate', async () => {
      const { body } = await send('GET', `${requestsPath}/new`, joining);
      return stringAt(objectAt(body, 'status'), 'certificate');
    });
    const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' });
    return { ca: joining.ca, cert: Buffer.from(issued, 'base64'), key };
  }

  /** The kubeconfig that the cluster publishes for machines that join, once it is signed with the token. */
  async function readSignedKubeconfig(): Promise<{ readonly kubeconfig: string; readonly signature: string }> {
    const data = await waitUntil('the signature', async () => {
      const info = await readClusterInfo();
      return stringAt(info, `jws-kubeconfig-${ID}`) !== undefined && info;
    });
    return { kubeconfig: stringAt(data, 'kubeconfig') ?? '', signature: stringAt(data, `jws-kubeconfig-${ID}`) ?? '' };
  }

  /** The credentials of a machine that has only the cluster info and the token. */
  async function joiningCredentials(): Promise<RequestOptions & { readonly ca: Buffer }> {
    const { kubeconfig } = await readSignedKubeconfig();
    const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(kubeconfig)?.[1] ?? '', 'base64');
    return { ca, headers: { authorization: `Bearer ${ID}.${SECRET}` } };
  }

  test('the published address and authority are signed with the bootstrap token', async () => {
    expect((await send('GET', `/api/v1/namespaces/${publicNamespace}/configmaps`, anonymous)).code).toBe(403);
    await createToken(timeAfter(3_600_000));
    const { kubeconfig, signature: jws } = await readSignedKubeconfig();
    const [header = '', , signature] = jws.split('.');
    expect(Buffer.from(header, 'base64url').toString()).toBe(`{"alg":"HS256","kid":"${ID}"}`);
    const payload = Buffer.from(kubeconfig).toString('base64url');
    expect(createHmac('sha256', signingKey).update(`${header}.${payload}`).digest('base64url')).toBe(signature);
    expect(kubeconfig).toContain(`server: https://127.0.0.1:${port()}\n`);
  });

  test('a bootstrap token authenticates a machine', async () => {
    const apiVersion = `authentication.${domain}/v1`;
    const sent = { kind: 'SelfSubjectReview', apiVersion };
    const review = await send('POST', `/apis/${apiVersion}/selfsubjectreviews`, await joiningCredentials(), sent);
    expect(review.body).toMatchObject({ status: { userInfo: { username: `system:bootstrap:${ID}` } } });
  });

  test('a machine registers as its own node with a signed certificate, and has no other rights', async () => {
    const node = await requestNodeCertificate(await joiningCredentials());
    expect((await send('POST', '/api/v1/nodes', node, { metadata: { name: 'new' } })).code).toBe(201);
    expect((await send('GET', '/api/v1/nodes/new', node)).code).toBe(200);
    expect((await send('GET', secretsPath, node)).code).toBe(403);
    expect((await send('POST', '/api/v1/nodes', node, { metadata: { name: 'other' } })).code).toBe(403);
  });

  test('the signature of a deleted token is deleted', async () => {
    expect((await send('DELETE', `${secretsPath}/bootstrap-token-${ID}`, admin())).code).toBe(200);
    await waitUntil('the signature to be deleted', async () => stringAt(await readClusterInfo(), `jws-kubeconfig-${ID}`) === undefined);
  });

  test('an expired token is deleted with its signature', async () => {
    // Long enough for the signature to be seen first.
    await createToken(timeAfter(4_000));
    await readSignedKubeconfig();
    await waitUntil(
      'the token to be deleted',
      async () => (await send('GET', `${secretsPath}/bootstrap-token-${ID}`, admin())).code === 404,
    );
    await waitUntil('the signature to be deleted', async () => stringAt(await readClusterInfo(), `jws-kubeconfig-${ID}`) === undefined);
  });
});
