/**
 * Autoscalers as a person with kubectl knows them: made by a command, shown with what they see, and scaling a Deployment up and down by what an API server behind an
 * APIService measures. The test plays the kubelet, and says what all pods together use.
 */
import { Informer } from '../../shared/client/informer';
import { knownResource } from '../../shared/client/resource';
import type { RestClient } from '../../shared/client/rest-client';
import { silentLogger } from '../../shared/runtime/logger';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { isReady } from '../../controllers/runtime/pods';
import type { Json } from '../replay/reference';
import { ApiClient } from '../support/api-client';
import { adminClient, startControllers } from '../support/control-plane';
import { packagedProgram } from '../support/kubectl';
import { serveMetrics } from '../support/metrics-server';
import { freePort } from '../support/ports';
import { removeFolder, startApiServer, temporaryFolder, waitUntil, type ApiServer, type ProgramProcess } from '../support/programs';
import { sendOver } from '../support/replayed-scenario';
import { skipLoudly } from '../support/skipped';
import { KubectlSession, table } from '../support/kubectl-session';

const PODS = knownResource('pods');
const METRICS = '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods';
const NAMESPACE = 'default';
const SCALES_MS = 60_000;
const AN_HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString();
const kubectl = packagedProgram('kubectl');

/** Lets each pod serve, as if it had for an hour. */
async function serve(client: RestClient, signal: AbortSignal): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: AN_HOUR_AGO }];
  const pods = new Informer({ client, resource: PODS, clock: systemClock, random: systemRandom, logger: silentLogger });
  pods.handle({
    added(pod) {
      if (isReady(pod)) return;
      const place = { namespace: pod.namespace, name: pod.name, subresource: 'status' };
      client
        .patch(PODS, place, 'merge', { status: { phase: 'Running', startTime: AN_HOUR_AGO, conditions } }, { signal })
        .catch(() => undefined);
    },
  });
  await pods.run(signal);
}

function autoscaling(binary: string): void {
  const folder = temporaryFolder('e2e-autoscale');
  const end = new AbortController();
  let server: ApiServer;
  let controllers: ProgramProcess;
  let client: RestClient;
  let api: ApiClient;
  let endMetrics: () => Promise<void>;
  let served: Promise<void>;
  let session: KubectlSession;

  const send = sendOver(() => api);

  beforeAll(async () => {
    server = await startApiServer({ folder, securePort: await freePort(), args: ['--naming=kubernetes'] });
    controllers = startControllers(
      server,
      '--naming=kubernetes',
      '--horizontal-pod-autoscaler-sync-period=500ms',
      '--horizontal-pod-autoscaler-downscale-stabilization=1s',
    );
    api = new ApiClient(server.address, server.certificates);
    client = adminClient([server.address], server.certificates);
    endMetrics = await serveMetrics(send);
    served = serve(client, end.signal);
    session = new KubectlSession(binary, server.kubeconfig, NAMESPACE);
  }, 90_000);

  afterAll(async () => {
    end.abort();
    await served;
    await endMetrics();
    await controllers.stop();
    client.close();
    api.close();
    await server.process.stop();
    removeFolder(folder);
  }, 60_000);

  /** What all pods use together; each of them its share. */
  async function use(milli: number): Promise<void> {
    const { items } = await client.list(PODS, { namespace: NAMESPACE });
    const measured: Json = items.map(({ name }) => ({
      metadata: { name, namespace: NAMESPACE },
      timestamp: new Date().toISOString(),
      window: '30s',
      containers: [{ name: 'web', usage: { cpu: `${Math.floor(milli / items.length)}m`, memory: '10Mi' } }],
    }));
    await send('PUT', METRICS, {}, { kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items: measured });
  }

  /** While they use so much. */
  async function comesTo(replicas: number, milli: number): Promise<void> {
    await waitUntil(
      `${replicas} pods that serve`,
      async () => {
        await use(milli);
        const [, row] = table(await session.ok('get deployment web'));
        return row?.[1] === `${replicas}/${replicas}`;
      },
      SCALES_MS,
    );
    // Those that came last share it as well.
    await use(milli);
  }

  /** What kubectl describes of it, blanks made one. */
  const described = async (): Promise<string> => (await session.ok('describe hpa web')).replace(/ +/g, ' ');

  async function says(...texts: readonly string[]): Promise<void> {
    let last = '';
    await waitUntil(
      texts.join(' and '),
      async () => {
        last = await described();
        return texts.every((text) => last.includes(text));
      },
      SCALES_MS,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}, but it says:\n${last}`);
    });
  }

  it('says that nothing is measured yet', async () => {
    await session.ok('create deployment web --image=registry.example.com/web:1');
    await session.ok('set resources deployment web --requests=cpu=100m');
    expect(await session.ok('autoscale deployment web --min=1 --max=6 --cpu-percent=50')).toBe(
      'horizontalpodautoscaler.autoscaling/web autoscaled\n',
    );
    await says('ScalingActive False FailedGetResourceMetric', 'Warning FailedGetResourceMetric', 'horizontal-pod-autoscaler');
    expect(table(await session.ok('get hpa web'))[1]?.slice(0, 5)).toEqual(['web', 'Deployment/web', 'cpu: <unknown>/50%', '1', '6']);
  }, 120_000);

  it('scales up by what is used', async () => {
    await comesTo(4, 200);
    await says(
      'Reference: Deployment/web',
      'resource cpu on pods (as a percentage of request): 50% (50m) / 50%',
      'Deployment pods: 4 current / 4 desired',
      'ScalingActive True ValidMetricFound',
      'Normal SuccessfulRescale',
      'New size: 4; reason: cpu resource utilization (percentage of request) above target',
    );
    const [, row] = table(await session.ok('get hpa web'));
    expect(row?.slice(0, 6)).toEqual(['web', 'Deployment/web', 'cpu: 50%/50%', '1', '6', '4']);
  }, 120_000);

  it('goes as far as it may', async () => {
    await comesTo(6, 900);
    await says('ScalingLimited True TooManyReplicas', 'the desired replica count is more than the maximum replica count');
  }, 120_000);

  it('scales down again', async () => {
    await comesTo(2, 100);
    await says('Deployment pods: 2 current / 2 desired', 'reason: All metrics below target', 'ScalingLimited False DesiredWithinRange');
  }, 120_000);

  it('leaves alone what has been scaled to nothing', async () => {
    await session.ok('scale deployment web --replicas=0');
    await says('ScalingActive False ScalingDisabled', 'scaling is disabled since the replica count of the target is zero');
    await session.ok('scale deployment web --replicas=1');
    await comesTo(2, 100);
    await session.ok('delete hpa web');
    expect(await session.fails('get hpa web')).toContain('NotFound');
  }, 120_000);
}

if (kubectl === undefined) skipLoudly('kubectl autoscale', 'the packaged kubectl exists for linux-x64 only');
else describe('kubectl autoscale', () => autoscaling(kubectl));
