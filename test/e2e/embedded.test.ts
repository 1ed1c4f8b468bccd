/**
 * The package as others use it: control planes inside their own process, driven by the public JavaScript client, under jest as it is.
 * @jest-environment node
 */
import { existsSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import path from 'node:path';
import { once } from 'node:events';
import { AppsV1Api, CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import type { ControlPlane } from '../../deploy/embedded';
import { repository } from '../support/repository';
import { removeFolder, temporaryFolder, waitUntil } from '../support/programs';

const { startControlPlane } = jest.requireActual<typeof import('../../deploy/embedded')>(
  path.join(repository, 'dist/deploy/embedded/index.js'),
);

const namespace = 'default';

function configOf(plane: ControlPlane): KubeConfig {
  const config = new KubeConfig();
  config.loadFromString(plane.kubeconfig);
  return config;
}

async function isListening({ server }: ControlPlane): Promise<boolean> {
  const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(server).port) });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

test('two side by side know nothing of each other, and leave nothing behind', async () => {
  const planes = await Promise.all([startControlPlane(), startControlPlane({ naming: 'kubernetes', controllers: [] })]);
  const [first, second] = planes.map((plane) => configOf(plane).makeApiClient(CoreV1Api));
  await first?.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'one' } } });
  expect((await first?.listNamespacedConfigMap({ namespace }))?.items.map(({ metadata }) => metadata?.name)).toContain('one');
  expect((await second?.listNamespacedConfigMap({ namespace }))?.items).toEqual([]);
  for (const plane of planes) expect(readFileSync(plane.kubeconfigFile, 'utf8')).toBe(plane.kubeconfig);
  await Promise.all(planes.map((plane) => plane.stop()));
  for (const plane of planes) {
    expect(existsSync(path.dirname(plane.kubeconfigFile))).toBe(false);
    expect(await isListening(plane)).toBe(false);
  }
});

test('controllers act', async () => {
  const plane = await startControlPlane();
  const config = configOf(plane);
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web' }] } };
  await config.makeApiClient(AppsV1Api).createNamespacedDeployment({
    namespace,
    body: { metadata: { name: 'web' }, spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template } },
  });
  const core = config.makeApiClient(CoreV1Api);
  await waitUntil('three pods', async () => (await core.listNamespacedPod({ namespace })).items.length === 3);
  await plane.stop();
});

test('a folder that is named is kept', async () => {
  const folder = temporaryFolder('embedded');
  const once = await startControlPlane({ folder, controllers: [] });
  await configOf(once)
    .makeApiClient(CoreV1Api)
    .createNamespacedConfigMap({ namespace, body: { metadata: { name: 'kept' } } });
  await once.stop();
  const again = await startControlPlane({ folder, controllers: [] });
  await configOf(again).makeApiClient(CoreV1Api).readNamespacedConfigMap({ namespace, name: 'kept' });
  await again.stop();
  removeFolder(folder);
});

test.each([
  { flags: ['--no-such-flag'], says: /unknown option '--no-such-flag'/ },
  { flags: ['--requestheader-allowed-names=x', '--requestheader-username-headers=X'], says: /--requestheader-client-ca-file/ },
])('$flags is refused', async ({ flags, says }) => {
  await expect(startControlPlane({ flags })).rejects.toThrow(says);
});
