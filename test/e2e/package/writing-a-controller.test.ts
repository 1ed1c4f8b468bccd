/**
 * The controller of docs/guide/writing-a-controller.md: compiled against the installed package, and run against a
 * control plane.
 */
import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { CoreV1Api, CustomObjectsApi, KubeConfig, KubernetesObjectApi, loadYaml, type KubernetesObject } from '@kubernetes/client-node';
import { startControlPlane } from '../../support/embedded-module';
import { installPackage } from '../../support/installed-package';
import { ProgramProcess, removeFolder, temporaryFolder, waitUntil } from '../../support/programs';
import { readRepositoryFile, repository } from '../../support/repository';
import { useResource } from '../../support/use-resource';

const GUIDE = readRepositoryFile('docs/guide/writing-a-controller.md');
const COMPILER = path.join(repository, 'node_modules/typescript7/bin/tsc');
const OPTIONS = {
  module: 'node20',
  target: 'es2022',
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  types: ['node'],
};

function guideBlock(pattern: RegExp): string {
  const [, text] = pattern.exec(GUIDE) ?? [];
  if (text === undefined) throw new Error(`the guide has no block ${pattern}`);
  return text;
}

const folder = temporaryFolder('controller');
afterAll(() => removeFolder(folder));

const plane = useResource(
  () => startControlPlane({ naming: 'kubernetes' }),
  (started) => started.stop(),
  60_000,
);

test('the controller of the guide compiles, creates ConfigMaps for its custom resource and restores them', async () => {
  installPackage(folder, ['@types/node', 'undici-types']);
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts'] }));
  writeFileSync(path.join(folder, 'website-controller.ts'), guideBlock(/^```ts\n(.*?)^```$/ms));
  await promisify(execFile)(process.execPath, [COMPILER, '-p', folder]);

  const config = new KubeConfig();
  config.loadFromString(plane().kubeconfig);
  const definition = loadYaml<KubernetesObject>(guideBlock(/^kubectl apply -f - <<'EOF'\n(.*?)^EOF$/ms));
  await KubernetesObjectApi.makeApiClient(config).create(definition);
  const child = spawn(process.execPath, [path.join(folder, 'website-controller.js'), plane().kubeconfigFile], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const controller = new ProgramProcess(child);

  const core = config.makeApiClient(CoreV1Api);
  const custom = config.makeApiClient(CustomObjectsApi);
  const namespace = 'default';
  const name = 'home';
  const websites = { group: 'example.com', version: 'v1', namespace, plural: 'websites' };
  const readPage = async (): Promise<string | undefined> => (await core.readNamespacedConfigMap({ namespace, name })).data?.['index.html'];
  const waitForPage = (text: string): Promise<unknown> =>
    waitUntil(`${text}\n${controller.output}`, async () => (await readPage().catch(() => '')) === text);
  const body = { apiVersion: 'example.com/v1', kind: 'Website', metadata: { name }, spec: { title: 'Welcome' } };
  await waitUntil('the custom resource to be served', () => custom.createNamespacedCustomObject({ ...websites, body }).catch(() => false));
  await waitForPage('<h1>Welcome</h1>');
  await waitUntil('the status', async () => {
    const { status } = await custom.getNamespacedCustomObject({ ...websites, name });
    return status?.configMap === name;
  });
  await core.deleteNamespacedConfigMap({ namespace, name });
  await waitForPage('<h1>Welcome</h1>');
  await custom.patchNamespacedCustomObject({ ...websites, name, body: [{ op: 'replace', path: '/spec/title', value: 'Hello' }] });
  await waitForPage('<h1>Hello</h1>');
  expect(await controller.stop()).toBe(0);
}, 120_000);
