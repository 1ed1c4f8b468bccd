/**
 * Control planes that the package starts for a program, each in a child process, used through the public JavaScript
 * client. package/test-runners.test.ts tests the supported test runners.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import path from 'node:path';
import { once } from 'node:events';
import { AppsV1Api, CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import type { ControlPlane, ControlPlaneConnection } from '../../deploy/embedded';
import { EMBEDDED_MODULE, startControlPlane } from '../support/embedded-module';
import { ProgramProcess, removeFolder, temporaryFolder, waitUntil } from '../support/programs';
import { useResource } from '../support/use-resource';

const namespace = 'default';

function configOf(plane: ControlPlane): KubeConfig {
  const config = new KubeConfig();
  config.loadFromString(plane.kubeconfig);
  return config;
}

async function isListening({ server }: ControlPlaneConnection): Promise<boolean> {
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

/** Two control planes; only the first one runs the controllers. */
const planes = useResource(
  () => Promise.all([startControlPlane(), startControlPlane({ naming: 'kubernetes', controllers: [] })]),
  (started) => Promise.all(started.map((plane) => plane.stop())),
  60_000,
);

test('two control planes share no objects', async () => {
  const [first, second] = planes().map((plane) => configOf(plane).makeApiClient(CoreV1Api));
  await first?.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'one' } } });
  expect((await first?.listNamespacedConfigMap({ namespace }))?.items.map(({ metadata }) => metadata?.name)).toContain('one');
  expect((await second?.listNamespacedConfigMap({ namespace }))?.items).toEqual([]);
});

test('the controllers create the pods of a Deployment', async () => {
  const config = configOf(planes()[0]);
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web' }] } };
  await config.makeApiClient(AppsV1Api).createNamespacedDeployment({
    namespace,
    body: { metadata: { name: 'web' }, spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template } },
  });
  const core = config.makeApiClient(CoreV1Api);
  await waitUntil('three pods', async () => (await core.listNamespacedPod({ namespace })).items.length === 3);
});

// The last test with the shared control planes, which it stops.
test('stop() releases the folder and the port of its control plane only', async () => {
  for (const plane of planes()) expect(readFileSync(plane.kubeconfigFile, 'utf8')).toBe(plane.kubeconfig);
  for (const [index, plane] of planes().entries()) {
    await plane.stop();
    expect(existsSync(path.dirname(plane.kubeconfigFile))).toBe(false);
    expect(await Promise.all(planes().map(isListening))).toEqual([false, index === 0]);
  }
});

test('a control plane that starts in an existing folder serves the objects of the previous one', async () => {
  const folder = temporaryFolder('embedded');
  const first = await startControlPlane({ folder, controllers: [] });
  await configOf(first)
    .makeApiClient(CoreV1Api)
    .createNamespacedConfigMap({ namespace, body: { metadata: { name: 'kept' } } });
  await first.stop();
  const second = await startControlPlane({ folder, controllers: [] });
  await configOf(second).makeApiClient(CoreV1Api).readNamespacedConfigMap({ namespace, name: 'kept' });
  await second.stop();
  removeFolder(folder);
});

/** Starts a control plane in a process of its own, which prints the connection. */
const STARTER = `
const { startControlPlane } = require(${JSON.stringify(EMBEDDED_MODULE)});
startControlPlane({ controllers: [] }).then((controlPlane) => console.log(JSON.stringify(controlPlane)));
`;

test.each(['SIGKILL', 'SIGINT'] as const)(
  'a control plane stops and removes its folder when the process that started it ends by %s',
  async (signal) => {
    const starter = new ProgramProcess(spawn(process.execPath, ['-e', STARTER], { stdio: ['ignore', 'pipe', 'inherit'] }));
    const connection: ControlPlaneConnection = JSON.parse(
      await waitUntil('the connection', () => /^.+(?=\n)/.exec(starter.output)?.[0], 45_000),
    );
    expect(await isListening(connection)).toBe(true);
    starter.child.kill(signal);
    await starter.exited;
    await waitUntil('the folder to be removed', () => !existsSync(path.dirname(connection.kubeconfigFile)));
    expect(await isListening(connection)).toBe(false);
  },
);

test.each([
  { flags: ['--no-such-flag'], message: /unknown option '--no-such-flag'/ },
  { flags: ['--requestheader-allowed-names=x', '--requestheader-username-headers=X'], message: /--requestheader-client-ca-file/ },
])('startControlPlane rejects the flags $flags', async ({ flags, message }) => {
  await expect(startControlPlane({ flags })).rejects.toThrow(message);
});
