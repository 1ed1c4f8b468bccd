/**
 * The commands of the rendered pods, run as processes with the files that the Job would put into Secrets, are a control
 * plane over etcd with TLS. The probes of the pods succeed.
 */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { request as plainRequest } from 'node:http';
import path from 'node:path';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { containersIn, render, valuesNamed, type RenderedContainer } from '../../support/chart/rendered-chart';
import { manifestObjects } from '../../support/objects/manifest-objects';
import { describeWithEtcd } from '../../support/external/etcd';
import { packagedProgram } from '../../support/external/kubectl';
import { KubectlSession } from '../../support/external/kubectl-session';
import { freePorts } from '../../support/ports';
import { removeFolder, temporaryFolder, waitUntil } from '../../support/programs';
import { RelocatedPrograms } from '../../support/relocated-programs';
import { reportSkipped } from '../../support/report-skipped';
import { useResource } from '../../support/use-resource';

const ETCD_POD = 'platform-control-plane-etcd-0';
/** Flags that name Secrets, which `certificates create` does not have. */
const SECRET_FLAGS = /^--(namespace|name-prefix|labels)=/;

/** The variables of a container; the pod is the first of its StatefulSet. */
function variablesOf({ container }: RenderedContainer): Readonly<Record<string, string>> {
  const rows = (arrayAt(container, 'env') ?? []).filter(isObject);
  const variables = Object.fromEntries(rows.map((row) => [stringAt(row, 'name') ?? '', stringAt(row, 'value') ?? ETCD_POD]));
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value.replaceAll('$(ETCD_NAME)', ETCD_POD)]));
}

/** The HTTP status of a probe; `undefined` when nothing listens. */
async function sendProbe(container: JsonObject, kind: string, port: number): Promise<number | undefined> {
  const action = objectAt(objectAt(container, kind), 'httpGet');
  const options = { host: '127.0.0.1', port, path: stringAt(action, 'path'), rejectUnauthorized: false };
  const send = stringAt(action, 'scheme') === 'HTTPS' ? request : plainRequest;
  return new Promise((resolve) => {
    const sent = send(options, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once('error', () => resolve(undefined)).end();
  });
}

const helm = packagedProgram('helm');
const kubectl = packagedProgram('kubectl');

if (helm === undefined || kubectl === undefined) {
  reportSkipped('the commands of the Helm chart', 'helm is packaged for linux-x64 only');
} else {
  describeWithEtcd('the commands of the Helm chart', () => {
    const fixture = useResource(
      async () => {
        const folder = temporaryFolder('chart-commands');
        const [etcd = 0, peer = 0, metrics = 0, server = 0, controllers = 0] = await freePorts(5);
        const programs = new RelocatedPrograms([
          [`${ETCD_POD}.platform-control-plane-etcd.cp.svc:2379`, `localhost:${etcd}`],
          [`${ETCD_POD}.platform-control-plane-etcd.cp.svc:2380`, `localhost:${peer}`],
          ['0.0.0.0:2379', `127.0.0.1:${etcd}`],
          ['0.0.0.0:2380', `127.0.0.1:${peer}`],
          ['0.0.0.0:2381', `127.0.0.1:${metrics}`],
          ['platform-control-plane.cp.svc:443', `localhost:${server}`],
          ['=0.0.0.0', '=127.0.0.1'],
          ['port=6443', `port=${server}`],
          ['port=10257', `port=${controllers}`],
          ['$(POD_IP)', '127.0.0.1'],
          ['/var/lib/etcd', path.join(folder, 'etcd')],
          ['/pki/', `${folder}/pki/`],
        ]);
        return { folder, programs, ports: { etcd: metrics, apiserver: server, controllers } };
      },
      async ({ folder, programs }) => {
        await programs.stop();
        removeFolder(folder);
      },
      60_000,
    );

    it('start a control plane whose probes succeed, and end with 0 on SIGTERM', async () => {
      const { folder, programs, ports } = fixture();
      const containers = containersIn(manifestObjects(await render(helm, 'cp', [...valuesNamed('single')])));
      const containerNamed = (name: string): RenderedContainer => {
        const match = containers.find(({ container }) => stringAt(container, 'name') === name);
        if (match === undefined) throw new Error(`no container ${name}`);
        return match;
      };
      const job = containerNamed('certificates').args.filter((flag) => !SECRET_FLAGS.test(flag));
      const certificates = programs.startPlatform(['certificates', 'create', `--output-dir=${folder}/pki`, ...job]);
      expect(await certificates.exited).toEqual({ code: 0, signal: null });

      programs.startEtcd(variablesOf(containerNamed('etcd')));
      const start = (name: string) => programs.startPlatform([...containerNamed(name).command.slice(1), ...containerNamed(name).args]);
      const server = start('apiserver');
      const controllers = start('controllers');
      const components = [
        ['etcd', ports.etcd],
        ['apiserver', ports.apiserver],
        ['controllers', ports.controllers],
      ] as const;
      for (const [name, port] of components)
        for (const kind of ['startupProbe', 'livenessProbe', 'readinessProbe'])
          await waitUntil(
            `the ${kind} of ${name} to succeed`,
            async () => (await sendProbe(containerNamed(name).container, kind, port)) === 200,
            60_000,
          );

      const kubeconfig = path.join(folder, 'pki/admin/admin.kubeconfig');
      expect(readFileSync(kubeconfig, 'utf8')).toContain(`server: https://localhost:${ports.apiserver}`);
      const session = new KubectlSession(kubectl, kubeconfig, 'shop');
      await session.ok('create namespace shop');
      await waitUntil('the controllers to run', async () => (await session.run('get serviceaccount default')).code === 0, 60_000);
      expect([await controllers.stop(), await server.stop()]).toEqual([0, 0]);
    }, 240_000);
  });
}
