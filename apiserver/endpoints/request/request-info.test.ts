/** The request infos of paths, with their verbs, aliases and deprecated forms. */
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { Query } from './query';
import { parseRequestInfo, MalformedRequest } from './request-info';

const parse = (method: string, path: string, query = '') => parseRequestInfo(method, path, new Query(query), GENERATED_NAMES.platform);

it.each([
  ['GET', '/api/v1/namespaces', { verb: 'list', resource: 'namespaces', namespace: '', name: '' }],
  ['GET', '/api/v1/namespaces/a', { verb: 'get', resource: 'namespaces', namespace: 'a', name: 'a' }],
  ['PUT', '/api/v1/namespaces/a/finalize', { verb: 'update', resource: 'namespaces', name: 'a', subresource: 'finalize' }],
  ['GET', '/api/v1/namespaces/a/status', { verb: 'get', resource: 'namespaces', name: 'a', subresource: 'status' }],
  ['GET', '/api/v1/namespaces/a/pods', { verb: 'list', resource: 'pods', namespace: 'a', name: '' }],
  ['PATCH', '/api/v1/namespaces/a/pods/b/status', { verb: 'patch', resource: 'pods', namespace: 'a', name: 'b', subresource: 'status' }],
  ['DELETE', '/api/v1/namespaces/a/pods', { verb: 'deletecollection', resource: 'pods' }],
  [
    'POST',
    '/apis/coordination.k8s.io/v1/namespaces/a/leases',
    { verb: 'create', group: 'coordination.platform.io', dialect: 'kubernetes' },
  ],
  ['GET', '/apis/coordination.platform.io/v1/leases/', { verb: 'list', resource: 'leases', dialect: 'platform', namespace: '' }],
  ['GET', '/api/v1/watch/namespaces/a/pods/b', { verb: 'watch', resource: 'pods', namespace: 'a', name: 'b', hasWatchPrefix: true }],
  ['POST', '/api/v1/watch/pods', { verb: '', hasWatchPrefix: true }],
  ['GET', '/api/v1/proxy/namespaces/a/pods/b', { verb: 'proxy', isUnroutable: true }],
  ['GET', '/api/v1/namespaces/kube-public', { name: 'platform-public' }],
  ['GET', '/api/v1/namespaces//pods', { isUnroutable: true }],
  ['FOO', '/api/v1/pods', { verb: '' }],
  ['GET', '/api/v1/nodes/a/b/c/d', { name: 'a', subresource: 'b', rest: ['c', 'd'] }],
])('parseRequestInfo parses %s %s', (method, path, expected) => {
  expect(parse(method, path)).toMatchObject({ kind: 'resource', ...expected });
});

/** The alias of the system namespace that the paths below use. */
const SYSTEM_ALIAS = { shown: 'kube-system', stored: 'platform-system' };

it.each([
  ['/api/v1/namespaces/kube-system/pods', '', { namespace: 'platform-system', name: '', alias: SYSTEM_ALIAS }],
  ['/api/v1/namespaces/kube-system/pods/kube-public', '', { namespace: 'platform-system', name: 'kube-public', alias: SYSTEM_ALIAS }],
  ['/api/v1/namespaces/kube-system/status', '', { name: 'platform-system', alias: SYSTEM_ALIAS }],
  ['/api/v1/namespaces/platform-system/pods', '', { namespace: 'platform-system', alias: undefined }],
  ['/api/v1/namespaces', 'fieldSelector=metadata.name%3Dkube-system', { namespace: '', name: '', alias: SYSTEM_ALIAS }],
  ['/api/v1/pods', 'fieldSelector=metadata.name%3Dkube-system', { namespace: '', name: '', alias: undefined }],
])('parseRequestInfo resolves the namespace alias of %s?%s', (path, query, expected) => {
  expect(parse('GET', path, query)).toMatchObject(expected);
});

it.each(['/api/v1', '/apis/foo/v1', '/', '//api/v1/pods', '/healthz', '/apis/foo'])(
  'parseRequestInfo does not classify %s as a resource',
  (path) => {
    expect(parse('GET', path)).toEqual({ kind: 'path', path, verb: 'get' });
  },
);

it.each([
  ['watch', 'watch'],
  ['watch=1', 'watch'],
  ['watch=junk', 'watch'],
  ['watch=false', 'list'],
  ['watch=FALSE', 'list'],
  ['watch=0', 'list'],
  ['w=1', 'list'],
])('parseRequestInfo of a collection with ?%s has the verb %s', (query, verb) => {
  expect(parse('GET', '/api/v1/pods', query).verb).toBe(verb);
});

it('parseRequestInfo of one object with ?watch has the verb watch and the name', () => {
  expect(parse('GET', '/api/v1/nodes/a', 'watch=true')).toMatchObject({ verb: 'watch', name: 'a' });
});

it('parseRequestInfo rejects a watch prefix without a resource', () => {
  expect(() => parse('GET', '/api/v1/watch')).toThrow(MalformedRequest);
});
