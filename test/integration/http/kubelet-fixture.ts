/** A server with a pod on a node whose kubelet the test plays. */
import { systemClock as clock } from '../../../shared/runtime/clock';
import { issueCertificate, type Credential } from '../../../shared/runtime/pki';
import { type Fixture, type FixtureChanges, startFixture } from './fixture';

export const POD = '/api/v1/namespaces/default/pods/p';

type Credentials = NonNullable<FixtureChanges['kubelets']>['credentials'];

/** `credentials` = with what kubelets are connected to. */
export const startKubeletFixture = (credentials: Credentials = () => ({})): Promise<Fixture> =>
  startFixture({
    kubelets: { addressTypes: ['InternalIP'], credentials, timeoutMs: 2_000 },
    plugins: { enabled: [], disabled: ['ServiceAccount'] },
  });

/** For a kubelet that is believed, or for whoever connects to it. */
export const kubeletCertificate = (
  { authority }: Fixture,
  usage: 'server' | 'client' = 'server',
  names: readonly string[] = usage === 'server' ? ['127.0.0.1'] : [],
): Promise<Credential> => issueCertificate({ authority, usage, subject: { commonName: 'kubelet' }, names, lifetimeMs: 3_600_000, clock });

/** Throws what the server says where it refuses. */
export async function sent(api: Fixture, method: string, path: string, body: object): Promise<void> {
  const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
  const answer = await api.call(path, { method, body: body, headers });
  if (answer.status >= 300) throw new Error(answer.text);
}

/** On the node `n`, whose kubelet listens there. */
export async function runPod(api: Fixture, port: number): Promise<void> {
  const status = { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }], daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  await sent(api, 'POST', '/api/v1/nodes', { metadata: { name: 'n' }, status });
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
  await sent(api, 'POST', '/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec });
}
