import type { AppsV1ControllerRevision, AppsV1StatefulSet } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { labelsOf } from '../runtime/pods';
import { RevisionHistory } from './revision-history';
import {
  isRevisionOf,
  revisionBody,
  revisionNumberOf,
  revisionsBeyondLimit,
  sortRevisions,
  templateOfRevision,
  templatePatchOf,
  type ControllerRevision,
} from './controller-revision';

const RESOURCE = resourceOf('apps.v1.StatefulSet');
const owner = (image: string, uid = 'w') =>
  apiObject<AppsV1StatefulSet>({
    metadata: { namespace: 'n', name: 'web', uid, annotations: { note: 'n' } },
    spec: { template: { metadata: { labels: { app: 'a' }, creationTimestamp: null }, spec: { containers: [{ name: 'c', image }] } } },
  });
const revision = (image: string, number: number, collisionCount = 0): ControllerRevision =>
  apiObject<AppsV1ControllerRevision>(
    revisionBody({ dialect: 'kubernetes', resource: RESOURCE, owner: owner(image), label: 'hash', number, collisionCount }),
  );

test('templateOfRevision returns the template that revisionBody stored', () => {
  const stored = revision('one', 1);
  expect(stored.body).toMatchObject({
    metadata: { annotations: { note: 'n' }, labels: { app: 'a' }, ownerReferences: [{ kind: 'StatefulSet', name: 'web', uid: 'w' }] },
    data: { spec: { template: { $patch: 'replace', metadata: { labels: { app: 'a' } } } } },
    revision: 1,
  });
  expect(templateOfRevision(stored)).toEqual({ metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'one' }] } });
  expect(stored.name).toBe(`web-${labelsOf(stored)['hash']}`);
});

test('templatePatchOf and revisionBody serialize the data of a revision byte for byte as upstream', () => {
  const data =
    '{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"a"}},"spec":{"containers":[{"image":"one","name":"c"}]}}}}';
  expect(JSON.stringify(revision('one', 1).body.data)).toBe(data);
  const withoutMetadata = apiObject<AppsV1StatefulSet>({ metadata: { name: 'web' }, spec: { template: { spec: { containers: [] } } } });
  expect(JSON.stringify(templatePatchOf(withoutMetadata))).toBe(
    '{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null},"spec":{"containers":[]}}}}',
  );
});

test('isRevisionOf ignores the order of members', () => {
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'one' }] }, $patch: 'replace' };
  const reordered = apiObject<AppsV1ControllerRevision>({ ...revision('one', 1).body, data: { spec: { template } } });
  expect(isRevisionOf(reordered, templatePatchOf(owner('one')))).toBe(true);
});

test('isRevisionOf compares templates and ignores revision numbers; the collision count changes the name of a revision', () => {
  const patch = templatePatchOf(owner('one'));
  expect(isRevisionOf(revision('one', 7), patch)).toBe(true);
  expect(isRevisionOf(revision('two', 7), patch)).toBe(false);
  expect(revision('one', 1, 1).name).not.toBe(revision('one', 1).name);
});

test('revisionsBeyondLimit selects the oldest revisions that are not in use', () => {
  const revisions = [3, 1, 2, 4].map((number) => revision(`image ${number}`, number));
  expect(sortRevisions(revisions).map(revisionNumberOf)).toEqual([1, 2, 3, 4]);
  const live = new Set(revisions.filter((candidate) => revisionNumberOf(candidate) === 1).map(({ name }) => name));
  expect(revisionsBeyondLimit(revisions, live, 1).map(revisionNumberOf)).toEqual([2, 3]);
});

describe('RevisionHistory', () => {
  const { client } = fakeClient({ dialect: 'kubernetes' });
  const history = new RevisionHistory({ client, resource: RESOURCE, label: 'hash', signal: new AbortController().signal });

  test('creates a revision for a new template, reuses the latest equal one and renumbers an older one as the latest', async () => {
    const first = await history.ensureCurrent(owner('one'), [], 0);
    expect(first).toMatchObject({ collisionCount: 0, revision: { body: { revision: 1 } } });
    expect((await history.ensureCurrent(owner('one'), [first.revision], 0)).revision.name).toBe(first.revision.name);
    const second = await history.ensureCurrent(owner('two'), [first.revision], 0);
    expect(second.revision.body.revision).toBe(2);
    const renumbered = await history.ensureCurrent(owner('one'), [first.revision, second.revision], 0);
    expect(renumbered.revision.name).toBe(first.revision.name);
    expect(renumbered.revision.body.revision).toBe(3);
  });

  test('skips a revision to delete that does not exist any more', async () => {
    const { revision: deleted } = await history.ensureCurrent(owner('four'), [], 0);
    await history.delete([deleted]);
    await expect(history.delete([deleted])).resolves.toBeUndefined();
  });

  test('reuses a revision of the same owner, and chooses another name when the revision of another owner has it', async () => {
    const created = await history.ensureCurrent(owner('three'), [], 0);
    expect((await history.ensureCurrent(owner('three'), [], 0)).revision.uid).toBe(created.revision.uid);
    const ofOtherOwner = await history.ensureCurrent(owner('three', 'another'), [], 0);
    expect(ofOtherOwner.collisionCount).toBe(1);
    expect(ofOtherOwner.revision.name).not.toBe(created.revision.name);
  });
});
