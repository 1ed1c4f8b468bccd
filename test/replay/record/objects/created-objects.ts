/**
 * Remembers the objects that the requests of a recording create on the reference server, and deletes them afterwards, so
 * that the recording can be repeated. Namespaces in the paths of requests are deleted too. Other objects that the server
 * or its controllers create on their own remain.
 */
import { objectNameOf, type Body } from '../../json-response';
import type { ReferenceServer, ServerRequest } from '../reference-server';

export class CreatedObjects {
  /** Paths of objects in the order of creation. */
  private readonly paths = new Set<string>();
  private readonly namespaces = new Set<string>();

  /** Called with every request of the recording, the status of its response and the body. */
  add({ method, path }: Pick<ServerRequest, 'method' | 'path'>, code: number, text: string): void {
    const [collection = ''] = path.split('?');
    const [, namespace = ''] = /^\/apis?\/.*\/namespaces\/([^/]+)\//.exec(collection) ?? [];
    const isSystemNamespace = namespace === 'default' || namespace.startsWith('kube-');
    if (namespace !== '' && !isSystemNamespace) this.namespaces.add(namespace);
    if (code !== 201 || path.includes('dryRun=All')) return;
    if (method !== 'POST') {
      // An apply or an update that creates names the object in its path.
      this.paths.add(collection);
      return;
    }
    const name = objectNameOf(JSON.parse(text));
    if (name === '') return;
    if (collection === '/api/v1/namespaces') this.namespaces.add(name);
    else this.paths.add(`${collection}/${name}`);
  }

  /** Deletes the objects, the last one first, and the namespaces. */
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
