/**
 * Who may do what, asked and tried with real kubectl: as others, with tokens, with certificates that were requested and approved, with a credential plug-in.
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../shared/runtime/clock';
import { issueCertificate } from '../../shared/runtime/pki';
import { CERTIFICATE_REQUEST } from '../support/certificate-request';
import { runClient } from '../support/kubectl';
import { removeFolder, temporaryFolder, waitUntil } from '../support/programs';
import { withEachKubectl, type KubectlSession } from '../support/kubectl-session';

const ROLE = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules:
- {apiGroups: [""], resources: [pods, configmaps], verbs: [get, list]}
- {apiGroups: [apps], resources: [deployments], resourceNames: [shop], verbs: [get]}
`;

withEachKubectl('access', (current) => {
  let folder: string;
  beforeAll(() => (folder = temporaryFolder('access')));
  afterAll(() => removeFolder(folder));

  const ask = async (session: KubectlSession, question: string): Promise<string> =>
    (await session.run(`auth can-i ${question}`)).stdout.trim();

  it('answers what others may do, and lets them do that and nothing else', async () => {
    const session = current();
    const { namespace } = session;
    expect(await ask(session, 'list pods --as=dev')).toBe('no');
    await session.ok('apply -f -', ROLE);
    await session.ok(`create rolebinding readers --role=reader --user=dev --group=devs --serviceaccount=${namespace}:robot`);
    await waitUntil('the binding to count', async () => (await ask(session, 'list pods --as=dev')) === 'yes');
    const asked: readonly (readonly [string, string])[] = [
      ['get deployments.apps/shop --as=dev', 'yes'],
      ['get deployments.apps/other --as=dev', 'no'],
      ['list pods --as=x --as-group=devs', 'yes'],
      ['list pods -n kube-system --as=dev', 'no'],
      [`list pods --as=system:serviceaccount:${namespace}:robot`, 'yes'],
    ];
    for (const [question, answer] of asked) expect([question, await ask(session, question)]).toEqual([question, answer]);
    expect(await session.ok('auth can-i --list --as=dev')).toMatch(/^deployments\.apps\s+\[\]\s+\[shop\]\s+\[get\]$/m);
    await session.ok('create configmap kept');
    await session.ok('get configmap kept --as=dev');
    expect((await session.fails('delete configmap kept --as=dev')).trim()).toBe(
      `Error from server (Forbidden): configmaps "kept" is forbidden: User "dev" cannot delete resource "configmaps" in API group "" in the namespace "${namespace}"`,
    );
    await session.ok('get configmap kept');
  });

  it('lists what somebody may do who may do thousands of things', async () => {
    const session = current();
    const count = 3_000;
    const rules = Array.from({ length: count }, (_, at) => ({
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: [`c-${at}`],
      verbs: ['get'],
    }));
    const metadata = { name: 'collector' };
    await session.ok('create -f -', JSON.stringify({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules }));
    await session.ok('create rolebinding collectors --role=collector --user=collector');
    await waitUntil('the binding to count', async () => (await ask(session, 'get configmaps/c-7 --as=collector')) === 'yes');
    expect(await ask(session, 'get configmaps/other --as=collector')).toBe('no');
    const listed = await session.ok('auth can-i --list --as=collector');
    expect(listed.match(/^configmaps .*\[c-\d+\]/gm)).toHaveLength(count);
  });

  it('says who one is, also as another', async () => {
    const session = current();
    expect(await session.ok('auth whoami')).toMatch(/^Groups\s+\[system:masters system:authenticated\]$/m);
    const other = await session.ok('auth whoami --as=dev --as-group=a --as-group=b --as-uid=7');
    expect(other).toMatch(/^Username\s+dev$/m);
    expect(other).toMatch(/^Groups\s+\[a b system:authenticated\]$/m);
  });

  it('reconciles roles', async () => {
    const session = current();
    const inPlace = ROLE.replace('{name: reader}', `{name: reader, namespace: ${session.namespace}}`);
    const wider = inPlace.replace('verbs: [get, list]', 'verbs: [get, list, watch]');
    expect(await session.ok('auth reconcile -f -', wider)).toMatch(/reader reconciled/);
    expect(await session.ok('get role reader  -o jsonpath={.rules[*].verbs}')).toContain('watch');
  });

  it('makes tokens of accounts, which open what the account may do', async () => {
    const session = current();
    await session.ok('create serviceaccount robot');
    const token = (await session.ok('create token robot --duration=10m')).trim();
    const file = path.join(folder, 'token.kubeconfig');
    writeFileSync(file, configOf(session, { token }));
    const who = await runClient(session.binary, file, ['auth', 'whoami']);
    expect(who.stdout).toMatch(new RegExp(`^Username\\s+system:serviceaccount:${session.namespace}:robot$`, 'm'));
    expect((await runClient(session.binary, file, ['get', 'pods', '-n', session.namespace])).code).toBe(0);
    expect((await runClient(session.binary, file, ['get', 'secrets', '-n', session.namespace])).stderr).toContain('Forbidden');
  });

  it('a request for a certificate is approved by who may', async () => {
    const session = current();
    const name = `robot-${session.namespace}`;
    await session.ok(
      'apply -f -',
      JSON.stringify({
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name },
        spec: {
          request: Buffer.from(CERTIFICATE_REQUEST).toString('base64'),
          signerName: 'kubernetes.io/kube-apiserver-client',
          usages: ['client auth'],
        },
      }),
    );
    expect(await session.ok(`certificate approve ${name}`)).toBe(`certificatesigningrequest.certificates.k8s.io/${name} approved\n`);
    expect(await session.ok(`get csr ${name}`)).toMatch(/Approved/);
  });

  it('lets in whom a certificate or a credential plug-in names', async () => {
    const session = current();
    const credential = await issueCertificate({
      subject: { commonName: 'dev', organizations: ['devs'] },
      lifetimeMs: 3_600_000,
      clock: systemClock,
      authority: { certificate: pkiFile(session, 'ca.crt'), key: pkiFile(session, 'ca.key') },
      usage: 'client',
    });
    const { certificate, key } = credential;
    const status = { clientCertificateData: certificate, clientKeyData: key };
    const answer = path.join(folder, 'answer.json');
    writeFileSync(answer, JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }));
    const plugin = path.join(folder, 'plugin.sh');
    writeFileSync(plugin, `#!/bin/sh\ncat ${answer}\n`);
    chmodSync(plugin, 0o755);
    const users = {
      certificate: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) },
      plugin: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: plugin, interactiveMode: 'Never' } },
    };
    for (const [name, user] of Object.entries(users)) {
      const file = path.join(folder, `${name}.kubeconfig`);
      writeFileSync(file, configOf(session, user));
      const who = await runClient(session.binary, file, ['auth', 'whoami']);
      expect([name, who.stdout]).toEqual([name, expect.stringMatching(/^Username\s+dev$/m)]);
      expect((await runClient(session.binary, file, ['get', 'pods', '-n', session.namespace])).code).toBe(0);
      expect((await runClient(session.binary, file, ['get', 'nodes'])).stderr).toContain('User "dev" cannot list resource "nodes"');
    }
  });
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A file of the server's authority, which lies beside the kubeconfig of a server that was started for this. */
const pkiFile = ({ kubeconfig }: KubectlSession, name: string): string =>
  readFileSync(path.join(path.dirname(kubeconfig), 'pki', name), 'utf8');

/** The server of the session for another user. */
function configOf(session: KubectlSession, user: object): string {
  const server = /server: (\S+)/.exec(readFileSync(session.kubeconfig, 'utf8'))?.[1];
  const cluster = { server, 'certificate-authority-data': base64(pkiFile(session, 'ca.crt')) };
  const contexts = [{ name: 'c', context: { cluster: 'c', user: 'u' } }];
  const named = { clusters: [{ name: 'c', cluster }], users: [{ name: 'u', user }], contexts, 'current-context': 'c' };
  return JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...named });
}
