/**
 * An API server of this repository in place of the reference server, for tests of the recording drivers
 * (test/replay/record).
 */
import { ReferenceServer } from '../../replay/record/reference-server';
import { useClosable, useFolder, useResource } from '../../support/use-resource';
import { startFixture, writeKubeconfig } from './fixture';
import type { FixtureOptions } from './fixture-options';

/** The server is started before the tests of the file or block, and stopped after them. */
export function useReferenceStandIn(changes: FixtureOptions = {}): () => ReferenceServer {
  const folder = useFolder('record');
  const api = useResource(
    () => startFixture({ naming: 'kubernetes', ...changes }),
    (fixture) => fixture.stop(),
  );
  return useClosable(() => ReferenceServer.fromKubeconfig(writeKubeconfig(api(), folder)));
}
