/** Records authorization decisions (format `access-decisions`) as the status of SubjectAccessReviews. */
import { setTimeout } from 'node:timers/promises';
import { decisionSets, type DecisionSet } from '../../formats/access-decisions';
import type { Body, Json } from '../../json-response';
import { createObject, CreatedObjects } from '../objects/created-objects';
import type { ReferenceServer } from '../reference-server';

/** How long the authorizers of the server need until they have seen all objects. */
const PAUSE_MS = 1_000;
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

export async function recordAccessDecisions(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, sets } = decisionSets(recording);
  const lines: unknown[] = [head];
  for (const { stored, decisions } of sets) {
    const created = new CreatedObjects();
    try {
      await store(server, created, stored);
      await setTimeout(PAUSE_MS);
      lines.push({ stored });
      for (const { spec } of decisions) lines.push({ spec, status: await review(server, spec) });
    } finally {
      await created.remove(server);
    }
  }
  return lines;
}

/** Creates the objects of a set and the namespaces that they are in. */
async function store(server: ReferenceServer, created: CreatedObjects, stored: DecisionSet['stored']): Promise<void> {
  const namespaces = new Set(stored.flatMap(({ collection }) => /\/namespaces\/([^/]+)\//.exec(collection)?.[1] ?? []));
  for (const namespace of namespaces) await createObject(server, created, '/api/v1/namespaces', { metadata: { name: namespace } });
  for (const { collection, object, status } of stored) {
    const name = await createObject(server, created, collection, object);
    if (status !== undefined) await server.mergePatch(`${collection}/${name}/status`, { status });
  }
}

/** The status of a SubjectAccessReview with this spec. */
async function review(server: ReferenceServer, spec: Body): Promise<Json> {
  const sent = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  return (await server.create(REVIEWS, sent))['status'] ?? null;
}
