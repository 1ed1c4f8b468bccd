import { request } from 'node:https';
import { createAuthority, issueCertificate, type Credential } from '../../../shared/pki/certificates';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { useResource } from '../../../test/support/use-resource';
import { isMetricsPath } from './metrics-api';
import type { HttpsServer } from '../../serving/https-server';
import { startSimulationServer } from './server';

const lifetimeMs = 3_600_000;
const METRICS = '/apis/metrics.k8s.io/v1beta1/pods';

interface Fixture {
  readonly server: HttpsServer;
  readonly withoutFrontProxy: HttpsServer;
  /** Client certificates: of the front proxy, for another name, and of another authority. */
  readonly clients: Readonly<Record<'proxy' | 'other' | 'foreign', Credential>>;
}

const fixture = useResource(
  async (): Promise<Fixture> => {
    const authority = await createAuthority({ subject: { commonName: 'proxy-ca' }, lifetimeMs, clock });
    const foreignAuthority = await createAuthority({ subject: { commonName: 'proxy-ca' }, lifetimeMs, clock });
    const issue = (from: Credential, commonName: string, usage: 'client' | 'server') =>
      issueCertificate({ authority: from, usage, subject: { commonName }, names: [], lifetimeMs, clock });
    const options = {
      host: '127.0.0.1',
      port: 0,
      certificate: await issue(authority, 'server', 'server'),
      isMetricsPath,
      metrics: () => ({ kind: 'PodMetricsList' }),
      logger: silentLogger,
    };
    const frontProxy = { authority: authority.certificate, names: ['front-proxy-client'] };
    return {
      server: await startSimulationServer({ ...options, frontProxy }),
      withoutFrontProxy: await startSimulationServer({ ...options, frontProxy: undefined }),
      clients: {
        proxy: await issue(authority, 'front-proxy-client', 'client'),
        other: await issue(authority, 'other', 'client'),
        foreign: await issue(foreignAuthority, 'front-proxy-client', 'client'),
      },
    };
  },
  async ({ server, withoutFrontProxy }) => {
    await server.close();
    await withoutFrontProxy.close();
  },
);

function get({ port }: HttpsServer, path: string, client?: Credential): Promise<{ readonly status: number; readonly text: string }> {
  const certificate = client === undefined ? {} : { cert: client.certificate, key: client.key };
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, agent: false, rejectUnauthorized: false, ...certificate }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject).end();
  });
}

describe('the server of the simulation', () => {
  it('serves metrics to the front proxy only', async () => {
    const { server, clients } = fixture();
    expect(await get(server, METRICS, clients.proxy)).toEqual({ status: 200, text: '{"kind":"PodMetricsList"}' });
    for (const client of [undefined, clients.other, clients.foreign]) {
      expect(await get(server, METRICS, client)).toMatchObject({ status: 403, text: expect.stringContaining('"reason":"Forbidden"') });
    }
  });

  it('responds to every client at /healthz', async () => {
    expect(await get(fixture().server, '/healthz')).toEqual({ status: 200, text: 'ok' });
  });

  it('serves no metrics without an authority of the front proxy', async () => {
    const { withoutFrontProxy, clients } = fixture();
    expect((await get(withoutFrontProxy, METRICS, clients.proxy)).status).toBe(403);
  });

  it.each([
    ['/containerLogs/default/web/c', 'pod default/web runs on a simulated node, without containers: it has no logs'],
    ['/exec/default/web/c?command=ls', 'no command can be executed in it'],
    ['/portForward/default/web', 'it has no ports'],
    ['/stats/summary', 'the node is simulated: its kubelet serves nothing'],
  ])('refuses %s in place of a kubelet', async (path, text) => {
    expect(await get(fixture().server, path)).toMatchObject({ status: 501, text: expect.stringContaining(text) });
  });
});
