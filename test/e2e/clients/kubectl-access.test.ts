/**
 * Authentication and authorization with real kubectl: permissions of impersonated users, service account tokens, client
 * certificates, approved certificate requests, and a credential plug-in.
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../../shared/runtime/clock';
import { issueCertificate } from '../../../shared/pki/certificates';
import { CERTIFICATE_REQUEST } from '../../support/certificates/certificate-request';
import { runClient } from '../../support/external/kubectl';
import { describeWithKubectl } from '../../support/external/kubectl-session';
import { kubeconfigOf } from '../../support/kubeconfig';
import { waitUntil } from '../../support/programs';
import { useFolder } from '../../support/use-resource';

/** Bound to the user dev, the group devs and the service account robot. */
const ROLE = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules:
- {apiGroups: [""], resources: [pods, configmaps], verbs: [get, list]}
- {apiGroups: [apps], resources: [deployments], resourceNames: [shop], verbs: [get]}
`;

describeWithKubectl('access', (session, server) => {
  const folder = useFolder('access');

  const pkiFile = (name: string): string => readFileSync(path.join(server.folder, 'pki', name), 'utf8');
  /** A kubeconfig for the server with the credentials of another user. */
  const kubeconfigFor = (user: object): string => {
    const address = /server: (\S+)/.exec(readFileSync(session.kubeconfig, 'utf8'))?.[1];
    const cluster = { server: address, 'certificate-authority-data': base64(pkiFile('ca.crt')) };
    return JSON.stringify(kubeconfigOf({ cluster, user }));
  };
  /** Runs kubectl with another kubeconfig, in no particular namespace. */
  const runAs = (file: string, ...words: readonly string[]) => runClient(session.binary, file, words);
  /** Returns `yes` or `no`. */
  const authCanI = async (question: string): Promise<string> => (await session.run(`auth can-i ${question}`)).stdout.trim();

  beforeAll(async () => {
    await session.ok('apply -f -', ROLE);
    await session.ok(`create rolebinding readers --role=reader --user=dev --group=devs --serviceaccount=${session.namespace}:robot`);
    await waitUntil('the binding to take effect', async () => (await authCanI('list pods --as=dev')) === 'yes');
  }, 60_000);

  describe('auth can-i', () => {
    it.each([
      ['get deployments.apps/shop --as=dev', 'yes'],
      ['get deployments.apps/other --as=dev', 'no'],
      ['list pods --as=stranger', 'no'],
      ['list pods --as=x --as-group=devs', 'yes'],
      ['list pods -n kube-system --as=dev', 'no'],
      ['list pods --as=system:serviceaccount:$NS:robot', 'yes'],
    ])('%s prints %s', async (question, verdict) => {
      expect(await authCanI(question.replace('$NS', session.namespace))).toBe(verdict);
    });

    it('--list prints the rules of another user', async () => {
      expect(await session.ok('auth can-i --list --as=dev')).toMatch(/^deployments\.apps\s+\[\]\s+\[shop\]\s+\[get\]$/m);
    });

    it('--list prints 3,000 rules of one user', async () => {
      const count = 3_000;
      const rules = Array.from({ length: count }, (_, index) => ({
        apiGroups: [''],
        resources: ['configmaps'],
        resourceNames: [`c-${index}`],
        verbs: ['get'],
      }));
      const metadata = { name: 'collector' };
      await session.ok('create -f -', JSON.stringify({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules }));
      await session.ok('create rolebinding collectors --role=collector --user=collector');
      await waitUntil('the binding to take effect', async () => (await authCanI('get configmaps/c-7 --as=collector')) === 'yes');
      expect(await authCanI('get configmaps/other --as=collector')).toBe('no');
      const listed = await session.ok('auth can-i --list --as=collector');
      expect(listed.match(/^configmaps .*\[c-\d+\]/gm)).toHaveLength(count);
    });
  });

  describe('auth whoami', () => {
    it('prints the groups of the user', async () => {
      expect(await session.ok('auth whoami')).toMatch(/^Groups\s+\[system:masters system:authenticated\]$/m);
    });

    it('prints an impersonated user', async () => {
      const impersonated = await session.ok('auth whoami --as=dev --as-group=a --as-group=b --as-uid=7');
      expect(impersonated).toMatch(/^Username\s+dev$/m);
      expect(impersonated).toMatch(/^Groups\s+\[a b system:authenticated\]$/m);
    });
  });

  it('a role permits its verbs and no other, such as delete', async () => {
    await session.ok('create configmap kept');
    await session.ok('get configmap kept --as=dev');
    expect((await session.fails('delete configmap kept --as=dev')).trim()).toBe(
      `Error from server (Forbidden): configmaps "kept" is forbidden: User "dev" cannot delete resource "configmaps" in API group "" in the namespace "${session.namespace}"`,
    );
    await session.ok('get configmap kept');
  });

  it('auth reconcile adds permissions to a role', async () => {
    const namespaced = ROLE.replace('{name: reader}', `{name: reader, namespace: ${session.namespace}}`);
    const extended = namespaced.replace('verbs: [get, list]', 'verbs: [get, list, watch]');
    expect(await session.ok('auth reconcile -f -', extended)).toMatch(/reader reconciled/);
    expect(await session.ok('get role reader -o jsonpath={.rules[*].verbs}')).toContain('watch');
  });

  it('certificate approve approves a CertificateSigningRequest', async () => {
    const name = `robot-${session.namespace}`;
    const spec = { request: base64(CERTIFICATE_REQUEST), signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] };
    const request = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name }, spec };
    await session.ok('apply -f -', JSON.stringify(request));
    expect(await session.ok(`certificate approve ${name}`)).toBe(`certificatesigningrequest.certificates.k8s.io/${name} approved\n`);
    expect(await session.ok(`get csr ${name}`)).toMatch(/Approved/);
  });

  describe('the permissions', () => {
    it('of a printed token are those of its service account', async () => {
      await session.ok('create serviceaccount robot');
      const token = (await session.ok('create token robot --duration=10m')).trim();
      const file = path.join(folder, 'token.kubeconfig');
      writeFileSync(file, kubeconfigFor({ token }));
      const whoami = await runAs(file, 'auth', 'whoami');
      expect(whoami.stdout).toMatch(new RegExp(`^Username\\s+system:serviceaccount:${session.namespace}:robot$`, 'm'));
      expect((await runAs(file, 'get', 'pods', '-n', session.namespace)).code).toBe(0);
      expect((await runAs(file, 'get', 'secrets', '-n', session.namespace)).stderr).toContain('Forbidden');
    });

    /** The certificate and key of the user dev, in the group devs. */
    const credentialOfDev = () =>
      issueCertificate({
        subject: { commonName: 'dev', organizations: ['devs'] },
        lifetimeMs: 3_600_000,
        clock: systemClock,
        authority: { certificate: pkiFile('ca.crt'), key: pkiFile('ca.key') },
        usage: 'client',
      });

    /** Checks that kubectl has the permissions of dev with these credentials in a kubeconfig. */
    async function expectDev(user: object): Promise<void> {
      const file = path.join(folder, 'dev.kubeconfig');
      writeFileSync(file, kubeconfigFor(user));
      expect((await runAs(file, 'auth', 'whoami')).stdout).toMatch(/^Username\s+dev$/m);
      expect((await runAs(file, 'get', 'pods', '-n', session.namespace)).code).toBe(0);
      expect((await runAs(file, 'get', 'nodes')).stderr).toContain('User "dev" cannot list resource "nodes"');
    }

    it('of a client certificate are those of the user that it names', async () => {
      const { certificate, key } = await credentialOfDev();
      await expectDev({ 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) });
    });

    it('of a credential plug-in are those of the user of its certificate', async () => {
      const { certificate, key } = await credentialOfDev();
      const status = { clientCertificateData: certificate, clientKeyData: key };
      const credentialFile = path.join(folder, 'credential.json');
      writeFileSync(credentialFile, JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }));
      const plugin = path.join(folder, 'plugin.sh');
      writeFileSync(plugin, `#!/bin/sh\ncat ${credentialFile}\n`);
      chmodSync(plugin, 0o755);
      await expectDev({ exec: { apiVersion: 'client.authentication.k8s.io/v1', command: plugin, interactiveMode: 'Never' } });
    });
  });
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
