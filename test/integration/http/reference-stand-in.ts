/**
 * An API server of this repository in place of the reference server, for tests of the recording drivers
 * (test/replay/record).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ReferenceServer } from '../../replay/record/reference-server';
import { ADMIN } from './api-call';
import { type FixtureOptions, startFixture } from './fixture';

export interface ReferenceStandIn {
  readonly server: ReferenceServer;
  stop(): Promise<void>;
}

export async function startReferenceStandIn(changes: FixtureOptions = {}): Promise<ReferenceStandIn> {
  const folder = mkdtempSync(path.join(tmpdir(), 'record-'));
  const api = await startFixture({ naming: 'kubernetes', ...changes });
  const cluster = {
    server: `https://127.0.0.1:${api.server.port}`,
    'certificate-authority-data': Buffer.from(api.authority.certificate).toString('base64'),
  };
  const kubeconfig = {
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token: ADMIN } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  const file = path.join(folder, 'kubeconfig');
  writeFileSync(file, JSON.stringify(kubeconfig));
  const server = ReferenceServer.fromKubeconfig(file);
  return {
    server,
    async stop() {
      server.close();
      await api.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
