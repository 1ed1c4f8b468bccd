/**
 * Real helm installs, upgrades, rolls back and uninstalls a release of the chart in fixtures/chart. Helm stores
 * releases in Secrets, reads OpenAPI and discovery, and changes objects by three-way strategic merge.
 */
import path from 'node:path';
import { packagedProgram, runClient } from '../../support/external/kubectl';
import { reportSkipped } from '../../support/report-skipped';
import { repository } from '../../support/repository';
import { useSharedApiServer } from '../../support/use-api-server';
import { useResource } from '../../support/use-resource';

const chart = path.join(repository, 'test/e2e/fixtures/chart');
const helm = packagedProgram('helm');
const kubectl = packagedProgram('kubectl');

if (helm === undefined || kubectl === undefined) {
  reportSkipped('helm', 'it is packaged for linux-x64 only');
} else {
  describe('helm', () => {
    const { kubeconfig } = useSharedApiServer();

    /** Returns the standard output; throws when the program fails. */
    const run = async (program: string, ...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runClient(program, kubeconfig, args);
      if (code !== 0) throw new Error(`${path.basename(program)} ${args.join(' ')} ended with ${code}:\n${stderr}${stdout}`);
      return stdout;
    };
    const runInShop = (...args: string[]): Promise<string> => run(helm, ...args, '--namespace', 'shop');
    /** Reads a field of a resource, which may be followed by a name; empty when the object does not exist. */
    const readField = async (resource: string, jsonpath: string): Promise<string> =>
      run(kubectl, 'get', ...resource.split(' '), '-n', 'shop', '--ignore-not-found', '-o', `jsonpath=${jsonpath}`);

    // A server of E2E_KUBECONFIG outlives the test and would keep the namespace. This is a resource instead of a hook,
    // because resources are stopped newest first: the shared server, which removes the kubeconfig, is stopped after it.
    useResource(
      () => undefined,
      () => (process.env['E2E_KUBECONFIG'] === undefined ? undefined : run(kubectl, 'delete', 'namespace', 'shop', '--wait=false')),
    );

    // Each test continues with the releases `web` and `second` as the earlier tests left them.

    it('install creates the objects of a release', async () => {
      const output = await runInShop('install', 'web', chart, '--create-namespace');
      expect(output).toContain('STATUS: deployed\nREVISION: 1\n');
      expect(JSON.parse(await runInShop('list', '-o', 'json'))).toMatchObject([{ name: 'web', revision: '1', status: 'deployed' }]);
      expect(await readField('deployment web', '{.spec.replicas} {.metadata.labels.app\\.kubernetes\\.io/managed-by}')).toBe('2 Helm');
      expect(await readField('secret sh.helm.release.v1.web.v1', '{.type}')).toBe('helm.sh/release.v1');
      // Created by a hook before each install and upgrade; helm does not count it as part of the release.
      expect(await readField('configmap web-before', '{.data.revision}')).toBe('1');
      expect(await readField('service web', '{.spec.clusterIP}')).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    }, 30_000);

    it('install fails for the name of an existing release', async () => {
      await expect(runInShop('install', 'web', chart)).rejects.toThrow('cannot re-use a name that is still in use');
    }, 30_000);

    it('upgrade changes the fields of the chart, and keeps those of other managers', async () => {
      const address = await readField('service web', '{.spec.clusterIP}');
      await run(kubectl, 'annotate', 'deployment', 'web', 'note=kept', '-n', 'shop');
      await runInShop('upgrade', 'web', chart, '--set', 'image=shop:2,colours.back=red,colours.front=null,extra=true');
      expect(await readField('deployment web', '{.spec.template.spec.containers[0].image} {.metadata.annotations.note}')).toBe(
        'shop:2 kept',
      );
      expect(JSON.parse(await readField('configmap web', '{.data}'))).toEqual({ back: 'red' });
      // The chart has a PodDisruptionBudget with `extra=true` only.
      expect(await readField('pdb web', '{.spec.minAvailable}')).toBe('1');
      expect(await readField('service web', '{.spec.clusterIP}')).toBe(address);
      expect(await readField('configmap web-before', '{.data.revision}')).toBe('2');
    }, 30_000);

    it('rollback restores a revision, and history lists all of them', async () => {
      expect(await runInShop('rollback', 'web', '1')).toBe('Rollback was a success! Happy Helming!\n');
      expect(await readField('deployment web', '{.spec.template.spec.containers[0].image}')).toBe('shop:1');
      expect(JSON.parse(await readField('configmap web', '{.data}'))).toEqual({ front: 'blue' });
      expect(await readField('pdb web', '{.metadata.name}')).toBe('');
      expect(JSON.parse(await runInShop('history', 'web', '-o', 'json'))).toMatchObject([
        { revision: 1, status: 'superseded' },
        { revision: 2, status: 'superseded' },
        { revision: 3, status: 'deployed', description: 'Rollback to 1' },
      ]);
    }, 30_000);

    it('upgrade with a dry run of the server changes nothing', async () => {
      await runInShop('upgrade', '--install', 'second', chart, '--set', 'replicas=1');
      expect(await runInShop('upgrade', 'second', chart, '--dry-run=server', '--set', 'replicas=7')).toContain('replicas: 7');
      expect(await readField('deployment second', '{.spec.replicas}')).toBe('1');
    }, 30_000);

    it('upgrade reports a rejection by the server', async () => {
      await expect(runInShop('upgrade', 'second', chart, '--set', 'port=0')).rejects.toThrow(
        'Service "second" is invalid: spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      );
      expect(JSON.parse(await runInShop('list', '--all', '-o', 'json'))).toMatchObject([
        { name: 'second', revision: '2', status: 'failed' },
        { name: 'web', revision: '3', status: 'deployed' },
      ]);
    }, 30_000);

    it('uninstall deletes the objects of a release', async () => {
      expect(await runInShop('uninstall', 'web')).toBe('release "web" uninstalled\n');
      await runInShop('uninstall', 'second', '--keep-history');
      for (const kind of ['deployments', 'services', 'pdb']) expect(await readField(kind, '{.items[*].metadata.name}')).toBe('');
      expect(await readField('secrets', '{.items[*].metadata.name}')).toBe('sh.helm.release.v1.second.v1 sh.helm.release.v1.second.v2');
      // The ConfigMap of the hook is kept.
      expect(await readField('configmaps web-before', '{.metadata.name}')).toBe('web-before');
    }, 30_000);
  });
}
