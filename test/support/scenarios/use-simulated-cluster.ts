/** A simulated cluster that the tests of a file or block share, and a client of its administrator. */
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { useClosable, useResource } from '../use-resource';
import { simulatedAdminClient, startSimulatedCluster, type SimulatedCluster, type SimulatedClusterOptions } from './simulated-cluster';

/** The time limit for a start on a busy machine. */
const START_MS = 120_000;

/** Both functions may be called in tests and hooks. `options` are read when the cluster starts. */
export function useSimulatedCluster(options: () => SimulatedClusterOptions = () => ({})): {
  readonly cluster: () => SimulatedCluster;
  readonly client: () => RestClient;
} {
  const cluster = useResource(
    () => startSimulatedCluster(options()),
    (started) => started.stop(),
    START_MS,
  );
  return { cluster, client: useClosable(() => simulatedAdminClient(cluster()), START_MS) };
}
