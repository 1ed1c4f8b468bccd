/** A server with a pod on a node whose kubelet the test plays. */
import { once } from 'node:events';
import { createServer, type Server, type ServerOptions } from 'node:https';
import { useResource } from '../../support/use-resource';
import { accepted, pairOf, serverOf, useServer, type Fixture, type FixtureChanges } from './fixture';

export const POD = '/api/v1/namespaces/default/pods/p';
const NODE_STATUS = '/api/v1/nodes/n/status';

type Credentials = NonNullable<FixtureChanges['kubelets']>['credentials'];

/** `credentials` = with what kubelets are connected to. */
export const useKubeletServer = (credentials: Credentials = () => ({}), changes: FixtureChanges = {}): Fixture =>
  useServer({
    kubelets: { addressTypes: ['InternalIP'], credentials, timeoutMs: 2_000 },
    plugins: { enabled: [], disabled: ['ServiceAccount'] },
    ...changes,
  });

const portOf = (Port: number): object => ({ daemonEndpoints: { kubeletEndpoint: { Port } } });

/** Creates the pod on the node `n`, whose kubelet listens there. */
export async function runPod(api: Fixture, port: number): Promise<void> {
  const status = { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }], ...portOf(port) };
  await api.create('/api/v1/nodes', { metadata: { name: 'n' }, status });
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
  await api.create('/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec });
}

/** Lets the kubelet of the node listen on another port. */
export async function moveKubelet(api: Fixture, port: number): Promise<void> {
  accepted(await api.merge(NODE_STATUS, { status: portOf(port) }));
}

/** The kubelet of the node. */
export function useKubelet(api: Fixture, play: (kubelet: Server) => void, options: () => ServerOptions = () => ({})): () => Server {
  return useResource(
    async () => {
      const kubelet = createServer({ ...pairOf(await serverOf(api.authority)), ...options() });
      play(kubelet);
      kubelet.listen(0, '127.0.0.1');
      await once(kubelet, 'listening');
      await runPod(api, Object(kubelet.address()).port);
      return kubelet;
    },
    (kubelet) => {
      kubelet.closeAllConnections();
      kubelet.close();
    },
  );
}
