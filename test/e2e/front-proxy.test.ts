/**
 * Real kubectl through an authenticating proxy, which sends requests to the API server with the identity headers of its
 * users.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../shared/runtime/clock';
import { createAuthority, issueCertificate, type Credential } from '../../shared/pki/certificates';
import { kubeconfigOf } from '../support/kubeconfig';
import { startFrontProxy, type FrontProxy, type ProxiedUser } from '../support/servers/front-proxy';
import { packagedProgram, runClient, startClient, type ClientResult } from '../support/external/kubectl';
import { waitUntil } from '../support/programs';
import { reportSkipped } from '../support/report-skipped';
import { useApiServer } from '../support/use-api-server';
import { useClosable, useResource } from '../support/use-resource';

const VALIDITY = { lifetimeMs: 3_600_000, clock: systemClock };
const USERS: ReadonlyMap<string, ProxiedUser> = new Map([
  ['anns-token', { name: 'ann', groups: ['devs', 'ops'], extra: { 'example.com/team': 'blue' } }],
  ['roots-token', { name: 'root', groups: ['system:masters'], extra: {} }],
  ['masks-token', { name: 'system:serviceaccount:default:robot', groups: [], extra: {} }],
]);

const binary = packagedProgram('kubectl');

async function createNamedAuthority(commonName: string): Promise<Credential> {
  return createAuthority({ subject: { commonName }, ...VALIDITY });
}

if (binary === undefined) reportSkipped('kubectl through a proxy', 'the packaged kubectl exists for linux-x64 only');
else
  describe('kubectl through a proxy that authenticates', () => {
    const proxyAuthority = useResource(() => createNamedAuthority('proxy-ca'));
    const server = useApiServer('front-proxy', (folder) => {
      const file = path.join(folder, 'proxies.crt');
      writeFileSync(file, proxyAuthority().certificate);
      const flags = {
        'client-ca-file': file,
        'allowed-names': 'front-proxy',
        'username-headers': 'X-Remote-User',
        'group-headers': 'X-Remote-Group',
        'extra-headers-prefix': 'X-Remote-Extra-',
      };
      return { args: Object.entries(flags).map(([name, value]) => `--requestheader-${name}=${value}`) };
    });

    const startProxy = async (issuer: Credential, commonName: string): Promise<FrontProxy> => {
      const subjectOptions = { ...VALIDITY, subject: { commonName } };
      return startFrontProxy({
        target: new URL(server.running.address),
        authority: server.running.certificates.authority,
        serving: await issueCertificate({ ...subjectOptions, authority: proxyAuthority(), usage: 'server', names: ['127.0.0.1'] }),
        client: await issueCertificate({ ...subjectOptions, authority: issuer, usage: 'client' }),
        users: USERS,
      });
    };
    const writeKubeconfig = (token: string, { url } = proxy()): string => {
      const file = path.join(server.folder, `${token}.kubeconfig`);
      const cluster = { server: url, 'certificate-authority-data': Buffer.from(proxyAuthority().certificate).toString('base64') };
      writeFileSync(file, JSON.stringify(kubeconfigOf({ cluster, user: { token } })));
      return file;
    };
    const kubectl = (token: string, command: string, input = ''): Promise<ClientResult> =>
      runClient(binary, writeKubeconfig(token), command.split(' '), { input });

    const proxy = useClosable(() => startProxy(proxyAuthority(), 'front-proxy'));
    const proxyOfOtherAuthority = useClosable(async () => startProxy(await createNamedAuthority('proxy-ca'), 'front-proxy'));

    it('is authenticated as the user that the proxy names', async () => {
      const { stdout } = await kubectl('anns-token', 'auth whoami');
      expect(stdout).toMatch(/^Username\s+ann$/m);
      expect(stdout).toMatch(/^Groups\s+\[devs ops system:authenticated\]$/m);
      expect(stdout).toMatch(/^Extra: example\.com\/team\s+\[blue\]$/m);
      expect((await kubectl('masks-token', 'auth whoami')).stdout).toMatch(/^Username\s+system:serviceaccount:default:robot$/m);
    });

    it('may not do what no role permits to the user or its groups', async () => {
      const refused = await kubectl('anns-token', 'get configmaps');
      expect(refused.stderr).toContain('configmaps is forbidden: User "ann" cannot list resource "configmaps"');
    });

    it('may do what a role permits to a group of the user, and nothing else', async () => {
      for (const command of [
        'create role keeper --verb=get,list,watch,create --resource=configmaps',
        'create rolebinding keepers --role=keeper --group=ops',
      ])
        expect(await kubectl('roots-token', command)).toMatchObject({ code: 0 });
      await waitUntil(
        'the binding to take effect',
        async () => (await kubectl('anns-token', 'auth can-i list configmaps')).stdout === 'yes\n',
      );
      const watch = startClient(binary, writeKubeconfig('anns-token'), ['get', 'configmaps', '-w', '-o', 'name']);
      await waitUntil('the watch to begin', async () => {
        await kubectl('anns-token', 'create configmap kept');
        return watch.output.includes('configmap/kept');
      });
      await watch.kill();
      expect((await kubectl('anns-token', 'delete configmap kept')).stderr).toContain('User "ann" cannot delete resource "configmaps"');
      expect((await kubectl('roots-token', 'get configmap kept -o name')).stdout).toBe('configmap/kept\n');
    });

    it('impersonates another user when its user may', async () => {
      expect((await kubectl('roots-token', 'auth whoami --as=bob --as-group=g')).stdout).toMatch(/^Groups\s+\[g system:authenticated\]$/m);
      expect((await kubectl('anns-token', 'get configmaps --as=bob')).stderr).toContain('User "ann" cannot impersonate resource "users"');
    });

    it('is not authenticated with an unknown token, or through a proxy of another authority', async () => {
      const refusal = 'You must be logged in to the server';
      expect((await kubectl('unknown', 'get configmaps')).stderr).toContain(refusal);
      const { stderr } = await runClient(binary, writeKubeconfig('roots-token', proxyOfOtherAuthority()), ['get', 'configmaps']);
      expect(stderr).toContain(refusal);
    });
  });
