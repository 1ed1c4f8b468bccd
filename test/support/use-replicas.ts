/**
 * API server processes on one etcd that the tests of a file or block share. Tests may kill, pause and restart each of
 * them; a restarted one has the same port. `describeWithEtcd` must surround the tests.
 */
import { startEtcd } from './external/etcd';
import { freePorts } from './ports';
import { startApiServer, type ApiServer, type ApiServerOptions } from './programs';
import { useFolder, useResource } from './use-resource';

/** The time limit for the start of one replica on a busy machine. */
const START_MS = 60_000;

export interface Replicas {
  /** The present process of each replica. */
  readonly servers: readonly ApiServer[];
  readonly addresses: readonly string[];
  /** Starts a replica again after its process has ended. */
  restart(index: number): Promise<void>;
}

/** Options of each replica, besides folder, port and store. */
export type ReplicaOptions = Omit<ApiServerOptions, 'folder' | 'securePort' | 'etcdServers'>;

/** `options`: one for each replica. The result may be called in tests and hooks, after the replicas have started. */
export function useReplicas(name: string, options: readonly ReplicaOptions[] = [{}, {}]): () => Replicas {
  const folder = useFolder(name);
  const etcd = useResource(startEtcd, (started) => started.dispose());
  return useResource(
    async (): Promise<Replicas> => {
      const ports = await freePorts(options.length);
      const servers: ApiServer[] = [];
      const restart = async (index: number): Promise<void> => {
        servers[index] = await startApiServer({ ...options[index], folder, securePort: ports[index] ?? 0, etcdServers: etcd().endpoint });
      };
      for (const index of ports.keys()) await restart(index);
      return { servers, addresses: servers.map(({ address }) => address), restart };
    },
    ({ servers }) => Promise.all(servers.map(({ process }) => process.kill())),
    START_MS * options.length,
  );
}

/** The replica with this index. Throws when there is none. */
export function replicaAt({ servers }: Replicas, index: number): ApiServer {
  const server = servers[index];
  if (server === undefined) throw new Error(`there is no replica ${index}`);
  return server;
}
