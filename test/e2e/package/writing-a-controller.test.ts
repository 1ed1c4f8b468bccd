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

/** The first TypeScript block of the guide, and the manifest that its first command applies. */
const TYPESCRIPT_BLOCK = /^```ts\n(.*?)^```$/ms;
const APPLIED_BLOCK = /^kubectl apply -f - <<'EOF'\n(.*?)^EOF$/ms;

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

/** Compiles the controller of the guide, creates the definition of its custom resource, and starts the controller. */
async function startGuideController(): Promise<ProgramProcess> {
  installPackage(folder, ['@types/node', 'undici-types']);
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts'] }));
  writeFileSync(path.join(folder, 'website-controller.ts'), guideBlock(TYPESCRIPT_BLOCK));
  await promisify(execFile)(process.execPath, [COMPILER, '-p', folder]);

  const definition = loadYaml<KubernetesObject>(guideBlock(APPLIED_BLOCK));
  await KubernetesObjectApi.makeApiClient(config()).create(definition);
  const args = [path.join(folder, 'website-controller.js'), plane().kubeconfigFile];
  return new ProgramProcess(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
}

const config = useResource(() => {
  const loaded = new KubeConfig();
  loaded.loadFromString(plane().kubeconfig);
  return loaded;
});
const controller = useResource(startGuideController, (started) => started.stop(), 120_000);

// The tests continue with the custom resource that the first one creates.
describe('the controller of the guide', () => {
  const namespace = 'default';
  const name = 'home';
  const websites = { group: 'example.com', version: 'v1', namespace, plural: 'websites' };
  const core = (): CoreV1Api => config().makeApiClient(CoreV1Api);
  const custom = (): CustomObjectsApi => config().makeApiClient(CustomObjectsApi);

  /** Waits until the ConfigMap of the custom resource has this page. */
  async function waitForPage(html: string): Promise<void> {
    const readPage = async (): Promise<string | undefined> =>
      (await core().readNamespacedConfigMap({ namespace, name })).data?.['index.html'];
    await waitUntil(`${html}\n${controller().output}`, async () => (await readPage().catch(() => '')) === html);
  }

  test('creates a ConfigMap for a custom resource', async () => {
    const body = { apiVersion: 'example.com/v1', kind: 'Website', metadata: { name }, spec: { title: 'Welcome' } };
    const create = () => custom().createNamespacedCustomObject({ ...websites, body });
    await waitUntil('the custom resource to be served', () => create().catch(() => false));
    await waitForPage('<h1>Welcome</h1>');
  });

  test('writes the name of the ConfigMap to the status', async () => {
    await waitUntil('the status', async () => {
      const { status } = await custom().getNamespacedCustomObject({ ...websites, name });
      return status?.configMap === name;
    });
  });

  test('restores a deleted ConfigMap', async () => {
    await core().deleteNamespacedConfigMap({ namespace, name });
    await waitForPage('<h1>Welcome</h1>');
  });

  test('updates the ConfigMap when the custom resource changes', async () => {
    await custom().patchNamespacedCustomObject({ ...websites, name, body: [{ op: 'replace', path: '/spec/title', value: 'Hello' }] });
    await waitForPage('<h1>Hello</h1>');
  });

  test('ends with 0 when it is stopped', async () => {
    expect(await controller().stop()).toBe(0);
  });
});
