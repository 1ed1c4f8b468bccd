/**
 * What upstream's conformance tests show of webhooks and the recorded cases do not: configurations that are changed and deleted together while they count, custom objects,
 * definitions, pods with defaults, and configurations that nobody can hold back.
 */
import { systemClock } from '../../../shared/runtime/clock';
import { startReviewServer, type ReviewServer } from '../../support/review-server';
import { type Answer } from './call';
import { type Fixture, startFixture } from './fixture';

type Type = 'mutating' | 'validating';

const ROOT = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const LABEL = '?labelSelector=run%3Done';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const SEEN_MS = 4_000;

let api: Fixture;
let webhooks: ReviewServer;

const send = (method: string, path: string, body?: object): Promise<Answer> =>
  api.call(path, {
    method,
    local: true,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(method === 'PATCH' ? { headers: MERGE } : {}),
  });

beforeAll(async () => {
  webhooks = await startReviewServer();
  api = await startFixture({ naming: 'kubernetes' });
  await make(DEFINITIONS, definition('widgets', 'Widget'));
  await api.served(WIDGETS);
  await make('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
});
afterAll(async () => {
  await api.stop();
  await webhooks.close();
});
afterEach(async () => {
  for (const type of ['mutating', 'validating']) await send('DELETE', `${ROOT}/${type}webhookconfigurations`);
  await until(ask, ({ status, text }) => status === 201 && !text.includes('patched'));
});

async function make(path: string, body: object): Promise<void> {
  const answer = await send('POST', path, body);
  if (answer.status !== 201) throw new Error(answer.text);
}

async function until(request: () => Promise<Answer>, isSo: (answer: Answer) => boolean): Promise<Answer> {
  const end = systemClock.monotonic() + SEEN_MS;
  for (;;) {
    const answer = await request();
    if (isSo(answer)) return answer;
    if (systemClock.monotonic() > end) throw new Error(`not seen in time: ${answer.text}`);
  }
}

const ask = (): Promise<Answer> => send('POST', `${MAPS}?dryRun=All`, { metadata: { name: 'm' }, data: { a: '1' } });
const widget = (name: string): object => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, data: { a: '1' } });

function definition(plural: string, kind: string, known: readonly string[] = ['a', 'patched']): object {
  const data = { type: 'object', properties: Object.fromEntries(known.map((name) => [name, { type: 'string' }])) };
  const schema = { openAPIV3Schema: { type: 'object', properties: { data } } };
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      names: { plural, kind },
      scope: 'Namespaced',
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v2', served: true, storage: false, schema },
      ],
    },
  };
}

const rule = (resources: string, apiGroups = '', operations: readonly string[] = ['*']): object => ({
  operations,
  apiGroups: [apiGroups],
  apiVersions: ['*'],
  resources: [resources],
});

const configure = (type: Type, does: string, rules: readonly object[] = [rule('configmaps')], name = 'w'): Promise<void> =>
  make(`${ROOT}/${type}webhookconfigurations`, {
    metadata: { name, labels: { run: 'one' } },
    webhooks: [
      {
        name: 'w.example.com',
        clientConfig: { caBundle: webhooks.caBundle, url: `https://127.0.0.1:${webhooks.port}/${does}` },
        rules,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });

const COUNTS: Readonly<Record<Type, { readonly does: string; readonly isSo: (answer: Answer) => boolean }>> = {
  mutating: { does: 'patch-data', isSo: ({ text }) => text.includes('"patched":"yes"') },
  validating: { does: 'deny-message', isSo: ({ text }) => text.includes('denied the request: no way') },
};
const TYPES: readonly Type[] = ['mutating', 'validating'];

test.each(TYPES)('ten %s ones are listed and deleted by their label', async (type) => {
  const { does, isSo } = COUNTS[type];
  const collection = `${ROOT}/${type}webhookconfigurations${LABEL}`;
  for (let at = 0; at < 10; at += 1) await configure(type, does, undefined, `w-${at}`);
  expect((await send('GET', collection)).json['items']).toHaveLength(10);
  await until(ask, isSo);
  expect((await send('DELETE', collection)).status).toBe(200);
  expect((await send('GET', collection)).json['items']).toEqual([]);
  await until(ask, (answer) => answer.status === 201 && !isSo(answer));
});

test.each(TYPES)('a %s one that is replaced and patched counts as it says now', async (type) => {
  const { does, isSo } = COUNTS[type];
  const path = `${ROOT}/${type}webhookconfigurations/w`;
  await configure(type, does, [rule('configmaps', '', ['CREATE'])]);
  await until(ask, isSo);
  const stored = await send('GET', path);
  expect((await send('PUT', path, JSON.parse(stored.text.replace('"CREATE"', '"UPDATE"')))).status).toBe(200);
  await until(ask, (answer) => answer.status === 201 && !isSo(answer));
  expect((await send('PATCH', path, JSON.parse(stored.text.replace(/"resourceVersion":"\d+",/, '')))).status).toBe(200);
  await until(ask, isSo);
});

test('custom objects are neither made nor changed nor deleted where one refuses it', async () => {
  await make(WIDGETS, widget('there'));
  await configure('validating', 'deny-message', [rule('widgets', 'example.com')]);
  await until(() => send('POST', `${WIDGETS}?dryRun=All`, widget('new')), COUNTS.validating.isSo);
  for (const answer of [
    await send('PATCH', `${WIDGETS}/there`, { data: { a: '2' } }),
    await send('PUT', `${WIDGETS}/there`, { ...JSON.parse((await send('GET', `${WIDGETS}/there`)).text), data: { a: '3' } }),
    await send('DELETE', `${WIDGETS}/there`),
  ])
    expect([answer.status, COUNTS.validating.isSo(answer)]).toEqual([400, true]);
  expect((await send('GET', `${WIDGETS}/there`)).json['data']).toEqual({ a: '1' });
});

test('definitions are not made where one refuses it', async () => {
  await configure('validating', 'deny-message', [rule('customresourcedefinitions', 'apiextensions.k8s.io')]);
  const answer = await until(() => send('POST', `${DEFINITIONS}?dryRun=All`, definition('gadgets', 'Gadget')), COUNTS.validating.isSo);
  expect(answer.status).toBe(400);
});

test('what a schema does not know is taken out of what one adds', async () => {
  await make(DEFINITIONS, definition('gizmos', 'Gizmo', ['a', 'start', 'stage-2']));
  const path = '/apis/example.com/v1/namespaces/default/gizmos';
  await api.served(path);
  await configure('mutating', 'patch-data', [rule('gizmos', 'example.com')]);
  const calls = webhooks.calls.length;
  const body = { apiVersion: 'example.com/v1', kind: 'Gizmo', metadata: { name: 'g' }, data: { a: '1' } };
  const answer = await until(
    () => send('POST', `${path}?dryRun=All`, body),
    () => webhooks.calls.length > calls,
  );
  expect(answer.json['data']).toEqual({ a: '1' });
});

test('custom objects are changed after another version of theirs is stored', async () => {
  const isPatched = COUNTS.mutating.isSo;
  await configure('mutating', 'patch-data', [rule('widgets', 'example.com')]);
  await until(() => send('POST', `${WIDGETS}?dryRun=All`, widget('other')), isPatched);
  await make(WIDGETS, widget('other'));
  const path = `${DEFINITIONS}/widgets.example.com`;
  const { text } = await send('GET', path);
  const stored = text
    .replace('"storage":true', '"storage":"x"')
    .replace('"storage":false', '"storage":true')
    .replace('"storage":"x"', '"storage":false');
  expect((await send('PUT', path, JSON.parse(stored))).status).toBe(200);
  const changed = await send('PATCH', `${WIDGETS}/other`, { data: { a: '2' } });
  expect([changed.status, changed.json['data']]).toEqual([200, { a: '2', patched: 'yes' }]);
});

test('what one adds to a pod gets its defaults', async () => {
  await configure('mutating', 'add-init-container', [rule('pods')]);
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const answer = await until(
    () => send('POST', '/api/v1/namespaces/default/pods?dryRun=All', pod),
    ({ text }) => text.includes('initContainers'),
  );
  expect(answer.json['spec']).toMatchObject({
    initContainers: [{ name: 'added', image: 'added', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' }],
  });
});

test('none changes configurations of webhooks, nor holds back their deletion', async () => {
  const all = [rule('*', 'admissionregistration.k8s.io'), rule('configmaps')];
  await configure('mutating', 'patch-label', all, 'a');
  await configure('validating', 'deny-message', all, 'b');
  await until(ask, COUNTS.validating.isSo);
  for (const type of TYPES) {
    await configure(type, 'allow', [rule('things', 'nobody.example.com')], 'free');
    const path = `${ROOT}/${type}webhookconfigurations/free`;
    expect((await send('GET', path)).json['metadata']).toMatchObject({ labels: { run: 'one' } });
    expect((await send('DELETE', path)).status).toBe(200);
  }
});
