/**
 * The public JavaScript client with at least one stored kind of every group that is served by default and has stored
 * kinds, through the class of a version of the group: create, list, patch, read and replace the status, read and replace,
 * delete. The two groups of reviews only create. The classes are generated from upstream's OpenAPI document, so that
 * requests and parsed responses have upstream's types.
 */
import * as client from '@kubernetes/client-node';
import { body, boolean, listOf, shape, text, type Checked } from '../../replay/shape';
import { CERTIFICATE_REQUEST } from '../../support/certificates/certificate-request';
import { waitUntil } from '../../support/programs';
import { readTable } from '../../support/read-table';
import { useSharedApiServer } from '../../support/use-api-server';

/** A kind and an object of it, which `test/e2e/client-node-groups.yaml` explains. */
const isRow = shape({ className: text, kind: text, body }, { isClusterScoped: boolean, name: text, status: body });
type KindRow = Checked<typeof isRow>;
const ROWS = readTable('test/e2e/client-node-groups.yaml', listOf(isRow));

type ApiClass = Parameters<client.KubeConfig['makeApiClient']>[0];
const isApiClass = (value: unknown): value is ApiClass => typeof value === 'function';

const server = useSharedApiServer();
const config = new client.KubeConfig();
beforeAll(() => config.loadFromFile(server.kubeconfig));

/** Calls a method of a class of the client, both by their names: `CoreV1Api` and `createNamespacedPod`. */
async function callMethod(className: string, method: string, parameters: object): Promise<unknown> {
  const apiClass: unknown = Reflect.get(client, className);
  if (!isApiClass(apiClass)) throw new Error(`the client has no ${className}`);
  const api: object = config.makeApiClient(apiClass);
  const operation: unknown = Reflect.get(api, method);
  if (typeof operation !== 'function') throw new Error(`the client has no ${method}`);
  return Reflect.apply(operation, api, [parameters]);
}

test.each(ROWS.map((row): [string, KindRow] => [`${row.className} ${row.kind}`, row]))(
  '%s is created, read, listed, replaced, patched and deleted',
  async (_title, row) => {
    const { className, kind, body, isClusterScoped, name = 'typed', status } = row;
    // The names of methods contain the scope: createNamespacedPod, createNode.
    const scope = isClusterScoped === true ? '' : 'Namespaced';
    const namespaceParameters = isClusterScoped === true ? {} : { namespace: 'default' };
    const callForKind = (verb: string, parameters: object, subresource = ''): Promise<unknown> =>
      callMethod(className, `${verb}${scope}${kind}${subresource}`, { ...namespaceParameters, ...parameters });
    const metadata = expect.objectContaining({ name, uid: expect.stringMatching(/^[0-9a-f-]{36}$/), creationTimestamp: expect.any(Date) });

    const sent: object = JSON.parse(JSON.stringify(body).replace('$CERTIFICATE_REQUEST', base64(CERTIFICATE_REQUEST)));
    const created = await callForKind('create', { body: { metadata: { name, ...namespaceParameters }, ...sent } });
    expect(created).toMatchObject({ metadata });
    expect(await callForKind('list', {})).toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ metadata })]) });
    const addLabels = [{ op: 'add', path: '/metadata/labels', value: { p: '1' } }];
    expect(await callForKind('patch', { name, body: addLabels })).toMatchObject({ metadata: { labels: { p: '1' } } });

    if (status !== undefined) {
      const current = objectOf(await callForKind('read', { name }));
      const changed = { ...current, status: { ...statusOf(current), ...status } };
      expect(withTimesAsTexts(await callForKind('replace', { name, body: changed }, 'Status'))).toMatchObject({ status });
    }

    const replaceLabels = async (): Promise<unknown> => {
      const current = objectOf(await callForKind('read', { name }));
      const changed = { ...current, metadata: { ...objectOf(current['metadata']), labels: { r: '2' } } };
      return callForKind('replace', { name, body: changed });
    };
    const replaced = await retryOnConflict(replaceLabels);
    expect(withTimesAsTexts(replaced)).toMatchObject({ metadata: { labels: { r: '2' } }, ...(status && { status }) });
    await callForKind('delete', { name, body: { gracePeriodSeconds: 0, propagationPolicy: 'Background' } });
    // Objects with finalizers are deleted in the background.
    const isDeleted = (): Promise<boolean> =>
      callForKind('read', { name }).then(
        () => false,
        (error: unknown) => codeOf(error) === 404 || Promise.reject(error as Error),
      );
    await waitUntil('the deletion', isDeleted);
  },
);

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error('an object was expected');
  return { ...value };
}

function statusOf({ status }: Record<string, unknown>): object {
  return typeof status === 'object' && status !== null ? status : {};
}

/** Retries once: the server may write the status of some kinds between the read and the replace. */
const retryOnConflict = (readAndReplace: () => Promise<unknown>): Promise<unknown> =>
  readAndReplace().catch((error: unknown) => (codeOf(error) === 409 ? readAndReplace() : Promise.reject(error as Error)));

/** The HTTP status in an error of the client. */
const codeOf = (error: unknown): unknown => objectOf(error)['code'];

/** The client returns times as dates; the table has them as texts. */
const withTimesAsTexts = (object: unknown): unknown => JSON.parse(JSON.stringify(object));

const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('AuthenticationV1Api and AuthorizationV1Api create reviews, which are not stored', async () => {
  const selfReview = await config.makeApiClient(client.AuthenticationV1Api).createSelfSubjectReview({ body: {} });
  expect(selfReview.status?.userInfo?.groups).toContain('system:masters');
  const tokenReview = await config.makeApiClient(client.AuthenticationV1Api).createTokenReview({ body: { spec: { token: 'unknown' } } });
  expect(tokenReview.status?.authenticated).toBeFalsy();
  const access = config.makeApiClient(client.AuthorizationV1Api);
  const attributes = { namespace: 'default', verb: 'get', resource: 'pods' };
  expect((await access.createSelfSubjectAccessReview({ body: { spec: { resourceAttributes: attributes } } })).status?.allowed).toBe(true);
  const otherReview = await access.createSubjectAccessReview({ body: { spec: { user: 'nobody', resourceAttributes: attributes } } });
  expect(otherReview.status?.allowed).toBe(false);
  const rules = await access.createSelfSubjectRulesReview({ body: { spec: { namespace: 'default' } } });
  expect(rules.status?.resourceRules).toContainEqual(expect.objectContaining({ verbs: ['*'] }));
});
