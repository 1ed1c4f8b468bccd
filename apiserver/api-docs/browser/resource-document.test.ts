/** An OpenAPI document that is reduced to one resource, in Node. */
import type { JsonObject } from '../../../shared/values/json';
import { countOperations, OTHER_PATHS, selectResource } from './resource-document';

const SCHEMA = { schema: { $ref: '#/components/schemas/Deployment' } };
const MEDIA_TYPES = { 'application/yaml': SCHEMA, 'application/json': SCHEMA };

const list = { tags: ['apps_v1'], description: 'List or watch objects.', responses: { 200: { content: MEDIA_TYPES } } };
const create = { requestBody: { content: MEDIA_TYPES }, responses: { 401: { description: 'Unauthorized' } } };
const patch = { requestBody: { content: { 'application/merge-patch+json': SCHEMA } } };

/** Six operations of Deployments, one of DaemonSets, and one path that belongs to no resource. */
const document: JsonObject = {
  openapi: '3.0.0',
  paths: {
    '/apis/apps/v1/': { get: {} },
    '/apis/apps/v1/deployments': { get: list, parameters: [] },
    '/apis/apps/v1/namespaces/{namespace}/deployments': { get: list, post: create },
    '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale': { get: {}, patch },
    '/apis/apps/v1/watch/namespaces/{namespace}/deployments': { get: {} },
    '/apis/apps/v1/daemonsets': { get: {} },
  },
  components: { schemas: {} },
};

describe('countOperations', () => {
  it('counts the operations of a resource in all namespaces, with subresources and watches', () => {
    expect([...countOperations(document)]).toEqual([
      [OTHER_PATHS, 1],
      ['daemonsets', 1],
      ['deployments', 6],
    ]);
  });

  it('counts the operations of namespaces, whose paths have a name in place of a namespace', () => {
    const paths = {
      '/api/v1/namespaces/{name}/status': { get: {} },
      '/api/v1/namespaces/{namespace}/pods': { get: {} },
      '/version/': { get: {} },
    };
    expect([...countOperations({ paths }).keys()]).toEqual([OTHER_PATHS, 'namespaces', 'pods']);
  });

  it('counts nothing in a document without paths', () => {
    expect(countOperations({}).size).toBe(0);
  });
});

describe('selectResource', () => {
  const selected = selectResource(document, 'deployments');

  it('keeps the paths of the resource and its subresources, and all schemas', () => {
    expect(Object.keys(selected['paths'] ?? {})).toEqual(
      Object.keys(document['paths'] ?? {}).filter((path) => path.includes('/deployments')),
    );
    expect(selected).toMatchObject({ openapi: '3.0.0', components: { schemas: {} } });
  });

  it('drops the other media types of a body that has JSON, and keeps the body of a patch', () => {
    expect(selected).toMatchObject({
      paths: {
        '/apis/apps/v1/namespaces/{namespace}/deployments': {
          get: { responses: { 200: { content: { 'application/json': SCHEMA } } } },
          post: { requestBody: { content: { 'application/json': SCHEMA } }, responses: create.responses },
        },
        '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale': { patch },
      },
    });
    expect(JSON.stringify(selected)).not.toContain('application/yaml');
  });

  it('makes the description of an operation its summary, without the full stop, and drops its tags', () => {
    expect(selected).toHaveProperty(['paths', '/apis/apps/v1/deployments'], {
      get: { summary: 'List or watch objects', responses: { 200: { content: { 'application/json': SCHEMA } } } },
      parameters: [],
    });
  });
});
