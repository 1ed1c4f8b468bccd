/** A namespace with many objects (`NAMESPACE_OBJECTS=10000`) goes completely; prints how long it took and what memory the processes needed. */
import { readFileSync } from 'node:fs';
import { isNotFound } from '../../../shared/client/rest/api-error';
import { metadataOf, resourceOf, type Resource } from '../../../shared/client/rest/resource';
import type { JsonObject } from '../../../shared/values/json';
import { waitUntil, type ProgramProcess } from '../../support/programs';
import { useControllers } from './controller-processes';

const NAMESPACES = resourceOf('core.v1.Namespace');
const OBJECTS = Number(process.env['NAMESPACE_OBJECTS'] ?? 3_000);
/** Of all objects. */
const SHARES: readonly (readonly [Resource, number, JsonObject])[] = [
  [resourceOf('core.v1.ConfigMap'), 0.4, { data: { text: 'x'.repeat(1_000) } }],
  [resourceOf('core.v1.Secret'), 0.3, {}],
  [resourceOf('core.v1.ServiceAccount'), 0.2, {}],
  [resourceOf('core.v1.Event'), 0.1, { involvedObject: { namespace: 'large', kind: 'Pod', name: 'p' } }],
];
const LANES = 16;

const cluster = useControllers('large-namespace');

/** MB of the process's own memory. */
function memory(process: ProgramProcess): number {
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${process.pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}

async function fill(namespace: string): Promise<void> {
  const work = SHARES.flatMap(([resource, share, body]) =>
    Array.from({ length: share * OBJECTS }, (_, index) => {
      const metadata = { namespace, name: `${resource.resource}-${index}` };
      return () => cluster.client.create(resource, { metadata, ...body });
    }),
  );
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let create = work.pop(); create !== undefined; create = work.pop()) await create();
    }),
  );
}

test(`the namespace controller deletes a namespace of ${OBJECTS} objects`, async () => {
  await cluster.client.create(NAMESPACES, { metadata: { name: 'large' } });
  const before = performance.now();
  await fill('large');
  const began = performance.now();
  const peak = { server: 0, controllers: 0 };
  await cluster.client.delete(NAMESPACES, { name: 'large' });
  await waitUntil(
    'the namespace to go',
    async () => {
      peak.server = Math.max(peak.server, memory(cluster.server.process));
      peak.controllers = Math.max(peak.controllers, memory(cluster.controllers));
      return cluster.client.get(NAMESPACES, { name: 'large' }).then(
        () => false,
        (error: unknown) => isNotFound(error),
      );
    },
    90_000,
  );
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  process.stdout.write(
    `${OBJECTS} objects: made in ${seconds(began - before)}, gone in ${seconds(performance.now() - began)}; ` +
      `at most ${peak.controllers} MB in the controllers, ${peak.server} MB in the server\n`,
  );
  for (const resource of [...SHARES.map(([shared]) => shared), resourceOf('core.v1.Pod')]) {
    expect((await cluster.client.list(metadataOf(resource), { namespace: 'large' })).items).toEqual([]);
  }
}, 180_000);
