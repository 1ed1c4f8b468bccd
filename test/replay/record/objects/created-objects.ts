/**
 * Remembers the objects that a recording creates on the reference server, and deletes them afterwards, so that the
 * recording can be repeated. Objects that the server or its controllers create on their own are deleted only when they
 * are namespaces.
 */
import { objectNameOf, type Body } from '../../json-response';
import type { ReferenceServer, ServerRequest } from '../reference-server';

/** In the order of creation. */
export class CreatedObjects {
  private readonly paths = new Set<string>();
  private readonly namespaces = new Set<string>();

  add({ method, path }: Pick<ServerRequest, 'method' | 'path'>, code: number, text: string): void {
    const [collection = ''] = path.split('?');
    const [, namespace = ''] = /^\/apis?\/.*\/namespaces\/([^/]+)\//.exec(collection) ?? [];
    if (!/^(|default|kube-.*)$/.test(namespace)) this.namespaces.add(namespace);
    if (code !== 201 || path.includes('dryRun=All')) return;
    if (method !== 'POST') {
      this.paths.add(collection);
      return;
    }
    const name = objectNameOf(JSON.parse(text));
    if (name === '') return;
    if (collection === '/api/v1/namespaces') this.namespaces.add(name);
    else this.paths.add(`${collection}/${name}`);
  }

  async remove(server: ReferenceServer): Promise<void> {
    const remove = async (path: string): Promise<void> => {
      await server.mergePatch(path, { metadata: { finalizers: null } });
      await server.sendJson('DELETE', `${path}?gracePeriodSeconds=0`);
    };
    for (const path of [...this.paths].reverse()) await remove(path);
    // Without controllers nothing else removes the finalizer of a namespace.
    for (const name of this.namespaces) {
      const path = `/api/v1/namespaces/${name}`;
      await server.sendJson('DELETE', path);
      await server.sendJson('PUT', `${path}/finalize`, { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} });
    }
  }
}

/** Creates an object that a recording depends on, and returns its name. Throws when the server rejects it. */
export async function createObject(server: ReferenceServer, created: CreatedObjects, collection: string, object: Body): Promise<string> {
  const body = await server.create(collection, object);
  created.add({ method: 'POST', path: collection }, 201, JSON.stringify(body));
  return objectNameOf(body);
}
