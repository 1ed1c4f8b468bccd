/**
 * Deletion of a namespace with many objects: as many as the variable `NAMESPACE_OBJECTS` states, 3,000 by default. Prints
 * the duration and the memory of the processes.
 */
import { undefinedIfNotFound } from '../../../shared/client/rest/api-error';
import { metadataOf, resourceOf, type Resource } from '../../../shared/client/rest/resource';
import type { JsonObject } from '../../../shared/values/json';
import { anonymousMegabytes } from '../../support/process-usage';
import { waitUntil } from '../../support/programs';
import { useControllers } from './controller-processes';

const NAMESPACES = resourceOf('core.v1.Namespace');
const OBJECTS = Number(process.env['NAMESPACE_OBJECTS'] ?? 3_000);
const OBJECT_SHARES: readonly (readonly [resource: Resource, shareOfAll: number, body: JsonObject])[] = [
  [resourceOf('core.v1.ConfigMap'), 0.4, { data: { text: 'x'.repeat(1_000) } }],
  [resourceOf('core.v1.Secret'), 0.3, {}],
  [resourceOf('core.v1.ServiceAccount'), 0.2, {}],
  [resourceOf('core.v1.Event'), 0.1, { involvedObject: { namespace: 'large', kind: 'Pod', name: 'p' } }],
];
/** Requests in flight while the namespace is filled. */
const CONCURRENT_CREATES = 16;

const cluster = useControllers('large-namespace');

async function createObjects(namespace: string): Promise<void> {
  const creations = OBJECT_SHARES.flatMap(([resource, share, body]) =>
    Array.from({ length: share * OBJECTS }, (_, index) => {
      const metadata = { namespace, name: `${resource.resource}-${index}` };
      return () =>
        cluster.client
          .of(resource)
          .namespace(metadata.namespace)
          .create({ metadata, ...body });
    }),
  );
  await Promise.all(
    Array.from({ length: CONCURRENT_CREATES }, async () => {
      for (let create = creations.pop(); create !== undefined; create = creations.pop()) await create();
    }),
  );
}

test(`the namespace controller deletes a namespace of ${OBJECTS} objects`, async () => {
  await cluster.client.of(NAMESPACES).create({ metadata: { name: 'large' } });
  const creationStart = performance.now();
  await createObjects('large');
  const deletionStart = performance.now();
  const peak = { server: 0, controllers: 0 };
  await cluster.client.of(NAMESPACES).delete('large');
  await waitUntil(
    'the namespace to be deleted',
    async () => {
      peak.server = Math.max(peak.server, anonymousMegabytes(cluster.server.process.pid));
      peak.controllers = Math.max(peak.controllers, anonymousMegabytes(cluster.controllers.pid));
      return (await undefinedIfNotFound(cluster.client.of(NAMESPACES).get('large'))) === undefined;
    },
    90_000,
  );
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  process.stdout.write(
    `${OBJECTS} objects: created in ${seconds(deletionStart - creationStart)}, deleted in ${seconds(performance.now() - deletionStart)}; ` +
      `at most ${Math.round(peak.controllers)} MB in the controllers, ${Math.round(peak.server)} MB in the server\n`,
  );
  for (const [resource] of OBJECT_SHARES) {
    expect((await cluster.client.of(metadataOf(resource)).namespace('large').list()).items).toEqual([]);
  }
}, 180_000);
