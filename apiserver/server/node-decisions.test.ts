/** What nodes may do, beside what release 1.31.1 let them do (test/replay/node-access.ts). */
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { objectAt, stringAt, stringsAt, type JsonObject } from '../../shared/values/json';
import { reviewedAttributes } from '../../test/support/attributes';
import { recordingOf } from '../../test/replay/recording';
import { anything, listOf, shape, text, tupleOf, type Check } from '../../test/replay/shape';
import { nodeAuthorizer } from '../authorization/node/authorizer';
import { NodeGraph } from '../authorization/node/graph';
import { podReferences, volumeReferencesOf } from '../authorization/node/references';
import { nodeRules } from '../upkeep/default-roles/objects';

const object: Check<JsonObject> = (value): value is JsonObject => typeof value === 'object' && value !== null;
const { head, cases } = recordingOf(
  'rbac/node-decisions',
  shape({ stored: listOf(shape({ collection: text, name: text, object, status: anything })) }),
  shape({ decision: tupleOf(object, object) }),
);

const graph = new NodeGraph();
for (const { collection, name, object: stored } of head.stored) {
  const spec = objectAt(stored, 'spec');
  const node = stringAt(spec, 'nodeName');
  const place = { ...objectAt(stored, 'metadata'), namespace: collection.split('/')[4] ?? '' };
  // What admission adds to every pod.
  const pod = { ...stored, metadata: place, spec: { serviceAccountName: 'default', ...spec } };
  if (collection.endsWith('/pods')) graph.setPod(name, node, podReferences(pod));
  else if (collection.endsWith('/persistentvolumes')) graph.setVolume(name, volumeReferencesOf(stored));
  else if (collection.endsWith('/volumeattachments')) graph.setAttachment(name, node);
}
const { nodeLeaseNamespace } = GENERATED_NAMES.kubernetes;
const authorizer = nodeAuthorizer({ graph, rules: nodeRules(GENERATED_NAMES.kubernetes), nodeLeaseNamespace });

it.each(cases.map(({ decision }) => decision))('%j', async (spec, status) => {
  const user = { name: stringAt(spec, 'user') ?? '', groups: stringsAt(spec, 'groups') };
  const { type, reason } = await authorizer.authorize(user, reviewedAttributes(spec));
  expect({ allowed: type === 'allow', reason }).toEqual({ allowed: status['allowed'], reason: stringAt(status, 'reason') ?? '' });
});

it('forgets what is gone', () => {
  const secret = { kind: 'secret', namespace: 'rec-node', name: 's-volume' } as const;
  const behindClaim = { ...secret, name: 's-pv-publish' };
  expect([graph.needs('rec-n1', secret), graph.needs('rec-n1', behindClaim)]).toEqual([true, true]);
  graph.setVolume('rec-node-v-claim', undefined);
  expect(graph.needs('rec-n1', behindClaim)).toBe(false);
  graph.setPod('full', 'rec-n2', [secret]);
  expect([graph.needs('rec-n1', secret), graph.needs('rec-n2', secret)]).toEqual([false, true]);
  graph.setPod('full', undefined, []);
  expect(graph.needs('rec-n2', secret)).toBe(false);
});
