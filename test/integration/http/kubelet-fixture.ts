/** An API server with a pod on a node, and a fake kubelet for it. */
import { createServer, type Server, type ServerOptions } from 'node:https';
import { closeServer, listen } from '../../support/servers/listen';
import { useResource } from '../../support/use-resource';
import { requireSuccess, useServer, type Fixture } from './fixture';
import type { FixtureOptions } from './fixture-options';
import { tlsPairOf, issueServerCertificate } from './issue-certificates';

export const POD = '/api/v1/namespaces/default/pods/p';
const NODE_STATUS = '/api/v1/nodes/n/status';

type Credentials = NonNullable<FixtureOptions['kubelets']>['credentials'];

/** `credentials`: the client certificate and authority for connections to kubelets. */
export const useKubeletServer = (credentials: Credentials = () => ({}), changes: FixtureOptions = {}): Fixture =>
  useServer({
    kubelets: { addressTypes: ['InternalIP'], credentials, timeoutMs: 2_000 },
    plugins: { enabled: [], disabled: ['ServiceAccount'] },
    ...changes,
  });

const kubeletPortStatus = (port: number): object => ({ daemonEndpoints: { kubeletEndpoint: { Port: port } } });

/** Creates the node `n` with a kubelet at `port`, and the pod `p` on it. */
export async function createPodOnKubelet(api: Fixture, port: number): Promise<void> {
  const status = { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }], ...kubeletPortStatus(port) };
  await api.create('/api/v1/nodes', { metadata: { name: 'n' }, status });
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
  await api.create('/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec });
}

/** Changes the kubelet port in the status of the node. */
export async function setKubeletPort(api: Fixture, port: number): Promise<void> {
  requireSuccess(await api.mergePatch(NODE_STATUS, { status: kubeletPortStatus(port) }));
}

/** Starts a fake kubelet for the tests, and creates the node and pod. `configure` adds its handlers. */
export function useKubelet(api: Fixture, configure: (kubelet: Server) => void, options: () => ServerOptions = () => ({})): () => Server {
  return useResource(async () => {
    const kubelet = createServer({ ...tlsPairOf(await issueServerCertificate(api.authority)), ...options() });
    configure(kubelet);
    await createPodOnKubelet(api, await listen(kubelet));
    return kubelet;
  }, closeServer);
}
