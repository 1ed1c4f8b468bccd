/**
 * What helm renders without a server: the schema of the values, the flags of the programs, the pods' security, and the
 * manifests in deploy/manifests.
 */
import path from 'node:path';
import { FLAGS as serverFlags } from '../../../apiserver/options/flags/flags';
import { flags as controllerFlags } from '../../../controllers/flags';
import { CERTIFICATES_CREATE_SECRETS_FLAGS } from '../../../deploy/cli/commands/flags';
import { parseFlags, type FlagTable } from '../../../shared/cli/flags';
import { objectAt, stringAt } from '../../../shared/values/json';
import { packagedProgram, runClient } from '../../support/external/kubectl';
import { readRepositoryFile } from '../../support/repository';
import { reportSkipped } from '../../support/report-skipped';
import { MANIFESTS, renderManifests } from '../../support/chart/manifests';
import { CHART, containersIn, render, template, VALUE_SETS, valuesNamed } from '../../support/chart/rendered-chart';
import { manifestObjects } from '../../support/objects/manifest-objects';

/** By the words of a container's command. */
const PROGRAMS: Readonly<Record<string, FlagTable>> = {
  'platform apiserver': serverFlags,
  'platform controllers': controllerFlags,
  'platform certificates create-secrets': CERTIFICATES_CREATE_SECRETS_FLAGS,
};

const WRONG_VALUES: readonly (readonly [set: string, message: string])[] = [
  ['apiserver.replica=2', 'Additional property replica is not allowed'],
  ['apiserver.replicas=0', 'apiserver.replicas: Must be greater than or equal to 1'],
  ['apiserver.externalAddress=http://api.example.com', 'apiserver.externalAddress: Does not match pattern'],
  ['apiserver.extraArgs={audit}', 'apiserver.extraArgs.0: Does not match pattern'],
  ['apiserver.service.type=ExternalName', 'apiserver.service.type must be one of'],
  ['apiserver.serviceClusterIPRange=10.0.0.0', 'Does not match pattern'],
  ['controllers.podAntiAffinity=strong', 'controllers.podAntiAffinity must be one of'],
  ['controllers.controllers=null', 'controllers is required'],
  ['controllers.controllers={cron job}', 'controllers.controllers.0: Does not match pattern'],
  ['etcd.replicas=2', 'etcd.replicas must be one of the following: 1, 3, 5'],
  ['etcd.endpoints={etcd:2379}', 'etcd.endpoints.0: Does not match pattern'],
  ['etcd.endpoints={https://etcd:2379}', 'etcd.clientSecretName is required for etcd.endpoints with https'],
  ['naming=upstream', 'naming must be one of the following: "platform", "kubernetes"'],
  ['unknown=1', 'Additional property unknown is not allowed'],
];

const helm = packagedProgram('helm');

if (helm === undefined) {
  reportSkipped('the Helm chart', 'helm is packaged for linux-x64 only');
} else {
  describe('the Helm chart', () => {
    it.each(VALUE_SETS)('passes helm lint with %s', async (_name, args) => {
      const { code, stdout, stderr } = await runClient(helm, '/nonexistent/kubeconfig', ['lint', '--strict', CHART, ...args]);
      expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: expect.stringContaining('0 chart(s) failed') });
    });

    it.each(WRONG_VALUES)('rejects %s', async (set, message) => {
      const { code, stderr } = await template(helm, 'cp', ['--set', set]);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
    });

    it('has the version of the package', () => {
      const [chart] = manifestObjects(readRepositoryFile('deploy/chart/Chart.yaml'));
      const { version }: { version: string } = JSON.parse(readRepositoryFile('package.json'));
      expect([stringAt(chart, 'version'), stringAt(chart, 'appVersion')]).toEqual([version, version]);
    });

    it.each(VALUE_SETS)('passes to the programs flags that they accept, with %s', async (_name, args) => {
      const containers = containersIn(manifestObjects(await render(helm, 'cp', args))).filter(({ command }) => command[0] === 'platform');
      expect(containers.map(({ workload }) => workload.split('/')[0])).toEqual(
        expect.arrayContaining(['Deployment', 'Deployment', 'Job', 'CronJob']),
      );
      for (const { command, args: flags } of containers) {
        const words = command.join(' ');
        const table = PROGRAMS[words];
        if (table === undefined) throw new Error(`no program has the command ${words}`);
        const parsed = parseFlags({ name: words, description: '' }, table, flags);
        expect({ words, message: parsed.kind === 'error' ? parsed.message : '' }).toEqual({ words, message: '' });
        if (parsed.kind === 'values') expect({ words, rest: parsed.rest }).toEqual({ words, rest: [] });
      }
    });

    it.each(VALUE_SETS)(
      'gives every container a read-only file system, no capability and no other user than 1000, with %s',
      async (_n, args) => {
        const containers = containersIn(manifestObjects(await render(helm, 'cp', args)));
        expect(containers.length).toBeGreaterThan(5);
        for (const { workload, container, podSpec } of containers) {
          expect({ workload, ...objectAt(container, 'securityContext') }).toEqual({
            workload,
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          expect(podSpec).toMatchObject({
            securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
            enableServiceLinks: false,
          });
          expect(objectAt(container, 'resources')).toHaveProperty('requests');
        }
      },
    );

    it('mounts a token of the outer cluster only into the pods that write Secrets', async () => {
      const workloads = containersIn(manifestObjects(await render(helm, 'cp', [])))
        .filter(({ podSpec }) => podSpec['automountServiceAccountToken'] !== false)
        .map(({ workload }) => workload.replace(/-[0-9a-f]{8}$/, ''));
      expect(workloads.sort()).toEqual(['CronJob/platform-control-plane-certificates', 'Job/platform-control-plane-certificates']);
    });

    it('renders neither etcd nor its keys when etcd runs elsewhere', async () => {
      const manifests = await render(helm, 'cp', valuesNamed('external-etcd'));
      expect(manifestObjects(manifests).filter((object) => stringAt(object, 'kind') === 'StatefulSet')).toEqual([]);
      expect(manifests).not.toContain('--etcd-names');
      expect(manifests).toContain('--etcd-keyfile=/pki/etcd-client/tls.key');
    });

    it.each([
      ['40 s after the start of one of three members', [], 40],
      ['at once when there is only one', valuesNamed('single'), undefined],
    ] as const)('lets etcd become ready %s', async (_when, args, delay) => {
      const [etcd] = containersIn(manifestObjects(await render(helm, 'cp', args))).filter(({ command }) => command[0] === 'etcd');
      expect(objectAt(etcd?.container, 'readinessProbe')?.['initialDelaySeconds']).toBe(delay);
    });

    it('has no Job, Role or token when all Secrets exist before the installation', async () => {
      const objects = manifestObjects(await render(helm, 'cp', ['--set', 'certificates.create=false,certificates.secretNamePrefix=mine']));
      const kinds = new Set(objects.map((object) => stringAt(object, 'kind')));
      expect([...kinds].toSorted()).toEqual(['Deployment', 'Pod', 'PodDisruptionBudget', 'Service', 'ServiceAccount', 'StatefulSet']);
      expect(JSON.stringify(objects)).toContain('"secretName":"mine-apiserver"');
    });

    it.each([
      ['presents a certificate to kubelets', [], true],
      ['names no certificate for kubelets when all Secrets exist, which may be without it', ['--set', 'certificates.create=false'], false],
    ] as const)('%s', async (_title, args, isExpected) => {
      const server = containersIn(manifestObjects(await render(helm, 'cp', args))).find(({ command }) => command[1] === 'apiserver');
      const files = ['certificate=/pki/apiserver/kubelet-client.crt', 'key=/pki/apiserver/kubelet-client.key'];
      expect(server?.args.filter((arg) => arg.startsWith('--kubelet-client-'))).toEqual(
        isExpected ? files.map((file) => `--kubelet-client-${file}`) : [],
      );
    });

    it('gives the Job another name when its template changes, and only then', async () => {
      const jobName = async (...args: readonly string[]): Promise<string | undefined> => {
        const job = manifestObjects(await render(helm, 'cp', args)).find((object) => stringAt(object, 'kind') === 'Job');
        return stringAt(objectAt(job, 'metadata'), 'name');
      };
      const name = await jobName();
      expect(await jobName('--set', 'apiserver.replicas=4')).toBe(name);
      for (const set of ['apiserver.certificateNames={api.example.com}', 'podAnnotations.a=b', 'image.tag=v2'])
        expect({ set, name: await jobName('--set', set) }).not.toEqual({ set, name });
    });

    it.each(Object.entries(MANIFESTS))('is rendered in deploy/manifests/%s as `npm run manifests` writes it', async (file, values) => {
      expect(readRepositoryFile(path.join('deploy/manifests', file))).toBe(await renderManifests(helm, values));
    });

    it('runs the release of etcd that docker-compose.yml runs', async () => {
      const compose = readRepositoryFile('docker-compose.yml');
      const [etcd] = containersIn(manifestObjects(await render(helm, 'cp', []))).filter(({ command }) => command[0] === 'etcd');
      expect(compose).toContain(`image: ${stringAt(etcd?.container, 'image')}\n`);
    });
  });
}
