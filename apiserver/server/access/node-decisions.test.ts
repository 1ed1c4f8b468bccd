/** Compares the decisions of the Node authorizer with those of release 1.31.1. */
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { objectAt, stringAt, stringsAt } from '../../../shared/values/json';
import { reviewedAttributes } from '../../../test/support/objects/attributes';
import { decisionSets } from '../../../test/replay/formats/access-decisions';
import { nodeAuthorizer } from '../../authorization/node/authorizer';
import { NodeGraph } from '../../authorization/node/graph';
import { podReferences, persistentVolumeReferences } from '../../authorization/node/references';
import { nodeRules } from '../../reconcilers/default-roles/default-objects';

const [{ stored, decisions } = { stored: [], decisions: [] }] = decisionSets('rbac/node-decisions').sets;

const graph = new NodeGraph();
for (const { collection, object } of stored) {
  const name = stringAt(objectAt(object, 'metadata'), 'name') ?? '';
  const spec = objectAt(object, 'spec');
  const node = stringAt(spec, 'nodeName');
  const metadata = { ...objectAt(object, 'metadata'), namespace: collection.split('/')[4] ?? '' };
  // Admission sets this in every pod.
  const pod = { ...object, metadata, spec: { serviceAccountName: 'default', ...spec } };
  if (collection.endsWith('/pods')) graph.setPod(name, node, podReferences(pod));
  else if (collection.endsWith('/persistentvolumes')) graph.setVolume(name, persistentVolumeReferences(object));
  else if (collection.endsWith('/volumeattachments')) graph.setAttachment(name, node);
}
const { nodeLeaseNamespace } = GENERATED_NAMES.kubernetes;
const authorizer = nodeAuthorizer({ graph, commonRules: nodeRules(GENERATED_NAMES.kubernetes), nodeLeaseNamespace });

it.each(decisions.map(({ spec, status }) => [spec, status] as const))(
  'the Node authorizer decides as release 1.31.1: %j',
  async (spec, status) => {
    const user = { name: stringAt(spec, 'user') ?? '', groups: stringsAt(spec, 'groups') };
    const { type, reason } = await authorizer.authorize(user, reviewedAttributes(spec));
    expect({ allowed: type === 'allow', reason }).toEqual({ allowed: status['allowed'], reason: stringAt(status, 'reason') ?? '' });
  },
);

it('NodeGraph drops the references of a deleted volume or pod', () => {
  const secret = { kind: 'secret', namespace: 'rec-node', name: 's-volume' } as const;
  const behindClaim = { ...secret, name: 's-pv-publish' };
  expect(graph.isReferencedByNode('rec-n1', secret)).toBe(true);
  expect(graph.isReferencedByNode('rec-n1', behindClaim)).toBe(true);
  graph.setVolume('rec-node-v-claim', undefined);
  expect(graph.isReferencedByNode('rec-n1', behindClaim)).toBe(false);
  graph.setPod('full', 'rec-n2', [secret]);
  expect(graph.isReferencedByNode('rec-n1', secret)).toBe(false);
  expect(graph.isReferencedByNode('rec-n2', secret)).toBe(true);
  graph.setPod('full', undefined, []);
  expect(graph.isReferencedByNode('rec-n2', secret)).toBe(false);
});
