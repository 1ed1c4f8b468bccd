/** The page at `/docs` of a server that serves it: authentication, authorization and methods are those of any path. */
import { gzipSync } from 'node:zlib';
import { API_DOCS_PATHS, SCRIPT_FILES } from '../../../apiserver/api-docs/api-docs';
import { grantClusterRole } from './access-setup';
import { ALICE } from './api-call';
import { useServer } from './fixture';

const script = { gzipped: gzipSync('1;\n'), etag: '"1"' };
const api = useServer({ apiDocs: new Map(Object.keys(SCRIPT_FILES).map((path) => [path, script])) });

it('/ lists the page', async () => {
  expect((await api.read('/'))['paths']).toContain('/docs');
});

it.each(API_DOCS_PATHS)('%s needs credentials and permission', async (path) => {
  expect((await api.get(path)).status).toBeLessThan(400);
  expect((await api.call(path, { token: null })).status).toBe(403);
  expect((await api.call(path, { token: 'unknown' })).status).toBe(401);
  const { status, json } = await api.call(path, { token: ALICE });
  expect([status, json['message']]).toEqual([403, expect.stringContaining(`cannot get path "${path}"`)]);
});

it('a role for its paths opens the page, but no document', async () => {
  const rule = { nonResourceURLs: ['/docs', '/docs/*'], verbs: ['get'] };
  await grantClusterRole(api, 'docs', rule, ['alice']);
  let page = await api.call('/docs/', { token: ALICE });
  while (page.status === 403) page = await api.call('/docs/', { token: ALICE });
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.text).not.toContain('apps');
});

it.each(API_DOCS_PATHS)('%s accepts GET only', async (path) => {
  for (const method of ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) expect((await api.call(path, { method })).status).toBe(405);
});

it('requests for the page are counted and limited like other paths that are not resources', async () => {
  const { headers } = await api.get('/docs/');
  expect(headers['x-platform-pf-flowschema-uid']).toBeDefined();
  expect(await api.metrics()).toMatch(/^apiserver_request_total\{.*subresource="docs".*code="200"/m);
});
