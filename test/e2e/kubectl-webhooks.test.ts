/** Webhooks that kubectl installs: they deny, change, warn, are gone, and let pass or not what they cannot judge. */
import { startReviewServer, type ReviewServer } from '../support/review-server';
import { waitUntil } from '../support/programs';
import { withEachKubectl, type KubectlSession } from '../support/kubectl-session';

const PLAIN = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: "1"}\n';

withEachKubectl('webhooks', (current) => {
  let webhooks: ReviewServer;
  beforeAll(async () => (webhooks = await startReviewServer()));
  afterAll(() => webhooks.close());
  afterEach(async () => {
    const { namespace } = current();
    await current().run(`delete mutatingwebhookconfigurations,validatingwebhookconfigurations hooks-${namespace} --ignore-not-found`);
  });

  /** Only this namespace's objects are shown. */
  async function install(type: 'Mutating' | 'Validating', does: string, more = ''): Promise<KubectlSession> {
    const session = current();
    const place = `url: "https://127.0.0.1:${webhooks.port}/${does}", caBundle: ${webhooks.caBundle}`;
    await session.ok(
      'apply -f -',
      `apiVersion: admissionregistration.k8s.io/v1
kind: ${type}WebhookConfiguration
metadata: {name: hooks-${session.namespace}}
webhooks:
- name: hook.example.com
  clientConfig: {${place}}
  rules: [{operations: ["*"], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}]
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ${session.namespace}}}
  sideEffects: None
  admissionReviewVersions: [v1]
${more}`,
    );
    return session;
  }

  it('refuse what kubectl creates, changes and deletes, until they are deleted', async () => {
    await current().ok('apply -f -', PLAIN);
    const session = await install('Validating', 'deny-message');
    const words = 'admission webhook "hook.example.com" denied the request: no way';
    await waitUntil('the webhook to be asked', async () =>
      (await session.run('create configmap other --dry-run=server')).stderr.includes(words),
    );
    for (const command of ['create configmap other', 'label configmap m x=y', 'delete configmap m']) {
      expect(await session.fails(command)).toContain(words);
    }
    await session.ok(`delete validatingwebhookconfiguration hooks-${session.namespace}`);
    await waitUntil('nobody to be asked', async () => (await session.run('label configmap m x=y --overwrite')).code === 0);
  });

  it('change what is applied, and warn', async () => {
    const session = await install('Mutating', 'patch-data');
    await waitUntil('the webhook to be asked', async () =>
      (await session.ok('create configmap fresh --from-literal=a=1 --dry-run=server -o yaml')).includes('patched: "yes"'),
    );
    await session.ok('apply --server-side --force-conflicts -f -', PLAIN);
    expect(await session.ok('get configmap m -o jsonpath={.data.patched}')).toBe('yes');
    await session.ok(
      `patch mutatingwebhookconfiguration hooks-${session.namespace} --type=json -p [{"op":"replace","path":"/webhooks/0/clientConfig/url","value":"https://127.0.0.1:${webhooks.port}/warn-twice"}]`,
    );
    await waitUntil('the warning', async () =>
      (await session.run('annotate configmap m a=b --overwrite')).stderr.includes('Warning: same'),
    );
  });

  it('that are gone are waited for by their failure policy', async () => {
    const more = '  failurePolicy: Ignore\n  timeoutSeconds: 1\n';
    const session = await install('Validating', 'cut', more);
    await session.ok('apply -f -', PLAIN);
    await session.ok(
      `patch validatingwebhookconfiguration hooks-${session.namespace} --type=json -p [{"op":"replace","path":"/webhooks/0/failurePolicy","value":"Fail"}]`,
    );
    await waitUntil('the failure', async () =>
      (await session.run('create configmap late --dry-run=server')).stderr.includes('failed calling webhook "hook.example.com"'),
    );
  });
});
