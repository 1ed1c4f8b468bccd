/**
 * The API server as envtest, the test environment of Go's controller-runtime, starts it: with upstream's flags only,
 * its serving certificate in the folder for certificates, and a certificate as the key that verifies tokens.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock as clock } from '../../shared/runtime/clock';
import { createAuthority, issueCertificate, type Credential } from '../../shared/pki/certificates';
import { describeWithEtcd, startEtcd } from '../support/external/etcd';
import { sendOnce, type TextResponse } from '../support/http/send-once';
import { freePort } from '../support/ports';
import { startProgram, waitUntil } from '../support/programs';
import { useFolder, useResource } from '../support/use-resource';

const HOUR_MS = 3_600_000;
const createNamedAuthority = (commonName: string): Promise<Credential> =>
  createAuthority({ subject: { commonName }, lifetimeMs: HOUR_MS, clock });

describeWithEtcd('a server with the flags of a test environment', () => {
  const folder = useFolder('test-environment');
  const etcd = useResource(startEtcd, (started) => started.dispose());
  const server = useResource(
    () => startServer(folder, etcd().endpoint),
    ({ program }) => program.stop(),
  );

  /** As the administrator unless there is an `authorization`. Trusts only the authority of the certificate in the folder. */
  function sendRequest(
    method: string,
    url: string,
    { authorization, body }: { readonly authorization?: string; readonly body?: object } = {},
  ): Promise<TextResponse> {
    const { port, serving, admin } = server();
    const client = authorization === undefined ? { cert: admin.certificate, key: admin.key } : {};
    const headers = { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) };
    const options = { port, method, path: url, headers, ca: serving.certificate, ...client };
    return sendOnce(options, body === undefined ? undefined : JSON.stringify(body));
  }

  const isHealthy = (): Promise<boolean> =>
    sendRequest('GET', '/healthz', { authorization: '' }).then(
      ({ status }) => status === 200,
      () => false,
    );

  test('becomes healthy for anonymous requests', async () => {
    await waitUntil('the server to be healthy', isHealthy, 45_000);
  });

  test('has the default namespace', async () => {
    expect((await sendRequest('GET', '/api/v1/namespaces/default')).status).toBe(200);
  });

  test('accepts the tokens that it signs', async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    expect((await sendRequest('POST', accounts, { body: { metadata: { name: 'a' } } })).status).toBe(201);
    const { text } = await sendRequest('POST', `${accounts}/a/token`, { body: { spec: {} } });
    const { token }: { token: string } = JSON.parse(text).status;
    const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const review = await sendRequest('POST', reviews, { authorization: `Bearer ${token}`, body: {} });
    expect(review).toMatchObject({ status: 201, text: expect.stringContaining('system:serviceaccount:default:a') });
  });
});

/** Starts a server with certificates and keys in the folder. */
async function startServer(folder: string, etcdServers: string) {
  const writeCredentialFile = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const serving = await createNamedAuthority('envtest-environment');
  const validity = { lifetimeMs: HOUR_MS, clock, names: ['localhost', '127.0.0.1'] };
  const pair = await issueCertificate({ ...validity, subject: { commonName: 'localhost' }, authority: serving, usage: 'server' });
  writeCredentialFile('apiserver.crt', pair.certificate);
  writeCredentialFile('apiserver.key', pair.key);
  const clients = await createNamedAuthority('clients');
  const subject = { commonName: 'admin', organizations: ['system:masters'] };
  const admin = await issueCertificate({ subject, lifetimeMs: HOUR_MS, clock, authority: clients, usage: 'client' });
  const signer = await createNamedAuthority('signer');
  const port = await freePort();
  const program = startProgram('apiserver/main.js', [
    '--naming=kubernetes',
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    '--bind-address=127.0.0.1',
    `--cert-dir=${folder}`,
    `--client-ca-file=${writeCredentialFile('client-cert-auth-ca.crt', clients.certificate)}`,
    '--disable-admission-plugins=ServiceAccount',
    `--etcd-servers=${etcdServers}`,
    '--insecure-port=0',
    `--secure-port=${port}`,
    `--service-account-issuer=https://127.0.0.1:${port}/`,
    `--service-account-key-file=${writeCredentialFile('sa-signer.crt', signer.certificate)}`,
    `--service-account-signing-key-file=${writeCredentialFile('sa-signer.key', signer.key)}`,
    '--service-cluster-ip-range=10.0.0.0/24',
  ]);
  return { program, port, serving, admin };
}
