/**
 * The Helm chart against a control plane with simulated nodes, in namespaces that enforce the Pod Security Standard
 * `restricted`: every object of every value set is accepted, pods become ready, an installed release can be upgraded, and
 * the Role of the Job is enough for the program that the Job runs, which keeps all keys at a second run.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ControlPlane } from '../../../deploy/embedded';
import type { CoreV1Secret } from '../../../shared/api/types/generated/members';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { startControlPlane } from '../../support/embedded-module';
import { packagedProgram, runClient, type ClientResult } from '../../support/external/kubectl';
import { KubectlSession } from '../../support/external/kubectl-session';
import { kubeconfigOf } from '../../support/kubeconfig';
import { waitUntil } from '../../support/programs';
import { reportSkipped } from '../../support/report-skipped';
import { repository } from '../../support/repository';
import { useFolder, useResource } from '../../support/use-resource';
import { CHART, containersIn, render, VALUE_SETS, valuesNamed } from '../../support/chart/rendered-chart';
import { manifestObjects } from '../../support/objects/manifest-objects';

const PLATFORM = path.join(repository, 'dist/deploy/cli/main.js');
/** In the order in which they are written. */
const SECRETS = ['authority', 'etcd-authority', 'apiserver', 'etcd', 'controllers', 'tokens', 'monitoring', 'admin'];

const RESTRICTED = 'pod-security.kubernetes.io/enforce=restricted';
/** Stands for the definition that the Prometheus operator installs. */
const SERVICE_MONITORS = path.join(repository, 'test/e2e/fixtures/service-monitor-definition.yaml');

/** The tests of a release continue one another: they install, test, upgrade and uninstall it in this namespace. */
const RELEASE_NAMESPACE = 'whole';
/** The tests of the Job continue one another: the first one creates the Secrets and credentials in this namespace. */
const SECRETS_NAMESPACE = 'keys';

const helm = packagedProgram('helm');
const kubectl = packagedProgram('kubectl');

if (helm === undefined || kubectl === undefined) {
  reportSkipped('the Helm chart in a cluster', 'helm is packaged for linux-x64 only');
} else {
  describe('the Helm chart in a cluster', () => {
    const plane = useResource<ControlPlane>(
      () => startControlPlane({ naming: 'kubernetes', simulatedNodes: 3, simulatedNodeCapacity: { cpu: '8', memory: '32Gi' } }),
      (running) => running.stop(),
      60_000,
    );
    const folder = useFolder('chart');

    const sessionIn = (namespace: string): KubectlSession => new KubectlSession(kubectl, plane().kubeconfigFile, namespace);
    const runHelm = async (namespace: string, ...args: readonly string[]): Promise<string> => {
      const options = { timeoutMs: 150_000 };
      const { code, stdout, stderr } = await runClient(helm, plane().kubeconfigFile, [...args, '--namespace', namespace], options);
      if (code !== 0) throw new Error(`helm ${args.join(' ')} ended with ${code}:\n${stderr}${stdout}`);
      return stdout;
    };
    const createNamespace = async (name: string): Promise<KubectlSession> => {
      const session = sessionIn(name);
      await session.ok(`create namespace ${name}`);
      await session.ok(`label namespace ${name} ${RESTRICTED}`);
      return session;
    };
    const secretData = async (session: KubectlSession, component: string): Promise<unknown> =>
      session.jsonPath(`get secret platform-control-plane-${component}`, '.data');

    beforeAll(async () => {
      await sessionIn('default').ok(['apply', '-f', SERVICE_MONITORS]);
      await sessionIn('default').ok('wait --for=condition=Established customresourcedefinition/servicemonitors.monitoring.coreos.com');
    }, 60_000);

    it.each(VALUE_SETS)(
      'is accepted object by object with %s, without a warning',
      async (name, args) => {
        const session = await createNamespace(`set-${name}`);
        // The test pod needs a ServiceAccount, which a dry run does not create.
        const withoutHooks = await render(helm, `set-${name}`, [...args, '--no-hooks']);
        const dryRun = await session.run('apply --validate=strict --dry-run=server -f -', withoutHooks);
        expect([dryRun.code, dryRun.stderr]).toEqual([0, '']);
        expect(dryRun.stdout.match(/ created \(server dry run\)$/gm)).toHaveLength(manifestObjects(withoutHooks).length);

        const manifests = await render(helm, `set-${name}`, args);
        const { code, stdout, stderr } = await session.run('apply --validate=strict -f -', manifests);
        expect([code, stderr]).toEqual([0, '']);
        expect(stdout.match(/ created$/gm)).toHaveLength(manifestObjects(manifests).length);
        expect((await session.run('diff -f -', manifests)).stdout).toBe('');
        await session.ok(`delete namespace set-${name} --wait=false`);
      },
      120_000,
    );

    const installArgs = [...valuesNamed('single'), '--wait', '--wait-for-jobs', '--timeout=2m'];

    it('installs pods that run and a Job that succeeds', async () => {
      const session = await createNamespace(RELEASE_NAMESPACE);
      const notes = await runHelm(RELEASE_NAMESPACE, 'install', 'platform', CHART, ...installArgs);
      expect(notes).toContain(`kubectl --namespace ${RELEASE_NAMESPACE} get secret platform-control-plane-admin`);
      const phases = await session.ok('get pods -o jsonpath={.items[*].status.phase}');
      expect(phases.split(' ').toSorted()).toEqual(['Running', 'Running', 'Running', 'Succeeded']);
    }, 150_000);

    it('passes `helm test`', async () => {
      const session = sessionIn(RELEASE_NAMESPACE);
      const test = runHelm(RELEASE_NAMESPACE, 'test', 'platform', '--timeout=2m');
      // Simulated containers of a pod without a Job run until an annotation ends them.
      await waitUntil('the test pod to be created', async () => (await session.run('get pod platform-control-plane-test')).code === 0);
      await session.ok(
        'annotate pod platform-control-plane-test simulation.kubernetes.io/run-duration=1s simulation.kubernetes.io/init-duration=0s',
      );
      expect(await test).toContain('Phase:          Succeeded');
    }, 150_000);

    it('is upgraded to another number of API servers', async () => {
      await runHelm(RELEASE_NAMESPACE, 'upgrade', 'platform', CHART, ...installArgs, '--set', 'apiserver.replicas=2');
      expect(await sessionIn(RELEASE_NAMESPACE).jsonPath('get deployment platform-control-plane-apiserver', '.status.readyReplicas')).toBe(
        2,
      );
    }, 150_000);

    it('rejects another number of etcd members in an upgrade', async () => {
      await expect(
        runHelm(RELEASE_NAMESPACE, 'upgrade', 'platform', CHART, ...valuesNamed('single'), '--set', 'etcd.replicas=3'),
      ).rejects.toThrow('etcd.replicas is 1 in the installed release');
    }, 60_000);

    it('leaves no pods when it is uninstalled', async () => {
      await runHelm(RELEASE_NAMESPACE, 'uninstall', 'platform', '--wait');
      // The garbage collector deletes the pods. A test pod is no part of the release.
      const remaining = (): Promise<string> => sessionIn(RELEASE_NAMESPACE).ok('get all,role,rolebinding,pdb -o name');
      await waitUntil('the pods to be deleted', async () => (await remaining()) === 'pod/platform-control-plane-test\n', 60_000);
    }, 150_000);

    /** The credentials of the Job that creates certificates, written by the first test that uses them. */
    const jobKubeconfig = path.join(folder, 'job.kubeconfig');

    it('allows the Job to write its Secrets, and keeps all keys at a second run', async () => {
      const session = await createNamespace(SECRETS_NAMESPACE);
      const manifests = await render(helm, SECRETS_NAMESPACE, []);
      const job = containersIn(manifestObjects(manifests)).find(({ workload }) => workload.startsWith('Job/'));
      await session.ok('apply -f -', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: identityObjects(manifests) }));
      const token = (await session.ok('create token platform-control-plane-certificates')).trim();
      writeFileSync(jobKubeconfig, await asUser(session, token), { mode: 0o600 });
      const runJob = (): Promise<ClientResult> =>
        runClient(process.execPath, jobKubeconfig, [
          PLATFORM,
          ...(job?.command.slice(1) ?? []),
          ...(job?.args ?? []),
          `--kubeconfig=${jobKubeconfig}`,
        ]);

      const names = SECRETS.map((name) => `platform-control-plane-${name}`);
      expect(await runJob()).toEqual({ code: 0, stdout: `wrote the Secrets ${names.join(', ')}\n`, stderr: '' });
      const before = await Promise.all(SECRETS.map((name) => secretData(session, name)));
      expect(await runJob()).toEqual({ code: 0, stdout: 'all Secrets are up to date\n', stderr: '' });
      expect(await Promise.all(SECRETS.map((name) => secretData(session, name)))).toEqual(before);
      expect(await session.ok('get secrets -l app.kubernetes.io/instance=platform -o name')).toBe(
        names
          .toSorted()
          .map((name) => `secret/${name}\n`)
          .join(''),
      );
    }, 120_000);

    it('allows the Job nothing but to write its Secrets', async () => {
      const jobSession = new KubectlSession(kubectl, jobKubeconfig, SECRETS_NAMESPACE);
      for (const denied of ['list secrets', 'get secret/other', 'delete secret/platform-control-plane-admin', 'get pods', 'create pods'])
        expect((await jobSession.run(`auth can-i ${denied}`)).stdout).toBe('no\n');
    }, 60_000);

    it('mounts only keys that the Secrets have', async () => {
      const session = sessionIn(SECRETS_NAMESPACE);
      const objects = manifestObjects(await render(helm, SECRETS_NAMESPACE, []));
      const files = containersIn(objects).flatMap(({ container, podSpec }) => mountedFiles(container, podSpec));
      expect(files.length).toBeGreaterThan(20);
      const { items } = await session.json<{ items: readonly CoreV1Secret[] }>('get secrets');
      const data = new Map(items.map(({ metadata, data: keys }) => [metadata?.name, keys]));
      expect(files.filter(({ secret, key }) => data.get(secret)?.[key] === undefined)).toEqual([]);
    }, 60_000);
  });
}

/** The ServiceAccount of the Job, its Role and its RoleBinding. */
function identityObjects(manifests: string): readonly JsonObject[] {
  const isIdentity = (object: JsonObject): boolean =>
    ['ServiceAccount', 'Role', 'RoleBinding'].includes(stringAt(object, 'kind') ?? '') &&
    (stringAt(objectAt(object, 'metadata'), 'name') ?? '').endsWith('-certificates');
  return manifestObjects(manifests).filter(isIdentity);
}

/** The session's kubeconfig with a token instead of the administrator's certificate. */
async function asUser(session: KubectlSession, token: string): Promise<string> {
  const config: { clusters: { cluster: object }[] } = JSON.parse(await session.ok('config view --raw --flatten -o json'));
  return JSON.stringify(kubeconfigOf({ cluster: config.clusters[0]?.cluster ?? {}, user: { token } }));
}

/** The files below /pki in the arguments and variables of a container, as keys of the Secrets that are mounted there. */
function mountedFiles(container: JsonObject, podSpec: JsonObject): readonly { readonly secret: string; readonly key: string }[] {
  const text = JSON.stringify([container['args'], container['env']]);
  const volumes = (arrayAt(podSpec, 'volumes') ?? []).filter(isObject);
  const secretNames = new Map(volumes.map((volume) => [stringAt(volume, 'name'), stringAt(objectAt(volume, 'secret'), 'secretName')]));
  return [...text.matchAll(/\/pki\/([\w-]+)\/([\w.-]+)/g)].map(([, volume = '', key = '']) => ({
    secret: secretNames.get(volume) ?? `no volume ${volume}`,
    key,
  }));
}
