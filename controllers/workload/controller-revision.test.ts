import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { fakeClient } from '../../test/support/fake-client';
import { labelsOf } from '../runtime/pods';
import { RevisionHistory } from './revision-history';
import {
  sortRevisions,
  isRevisionOf,
  templatePatchOf,
  revisionBody,
  revisionsBeyondLimit,
  templateOfRevision,
} from './controller-revision';

const RESOURCE = resourceOf('apps.v1.StatefulSet');
const owner = (image: string): ApiObject =>
  apiObject({
    metadata: { namespace: 'n', name: 'web', uid: 'w', annotations: { note: 'n' } },
    spec: { template: { metadata: { labels: { app: 'a' }, creationTimestamp: null }, spec: { containers: [{ name: 'c', image }] } } },
  });
const made = (image: string, number: number, collisions = 0) =>
  revisionBody({ dialect: 'kubernetes', resource: RESOURCE, owner: owner(image), label: 'hash', number, collisions });

test('templateIn returns the template that revisionBody stored', () => {
  const revision = apiObject(made('one', 1));
  expect(revision.body).toMatchObject({
    metadata: { annotations: { note: 'n' }, labels: { app: 'a' }, ownerReferences: [{ kind: 'StatefulSet', name: 'web', uid: 'w' }] },
    data: { spec: { template: { $patch: 'replace', metadata: { labels: { app: 'a' } } } } },
    revision: 1,
  });
  expect(templateOfRevision(revision)).toEqual({ metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'one' }] } });
  expect(revision.name).toBe(`web-${labelsOf(revision)['hash']}`);
});

test('patchOf and revisionBody serialize the data of a revision byte for byte as upstream', () => {
  const data =
    '{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"a"}},"spec":{"containers":[{"image":"one","name":"c"}]}}}}';
  expect(JSON.stringify(made('one', 1)['data'])).toBe(data);
  expect(JSON.stringify(templatePatchOf(apiObject({ metadata: { name: 'web' }, spec: { template: { spec: { containers: [] } } } })))).toBe(
    '{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null},"spec":{"containers":[]}}}}',
  );
});

test('isEqual ignores the order of members', () => {
  const { data: _, ...rest } = made('one', 1);
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'one' }] }, $patch: 'replace' };
  expect(isRevisionOf(apiObject({ ...rest, data: { spec: { template } } }), templatePatchOf(owner('one')))).toBe(true);
});

test('isEqual compares templates and ignores revision numbers', () => {
  const wanted = templatePatchOf(owner('one'));
  expect(isRevisionOf(apiObject(made('one', 7)), wanted)).toBe(true);
  expect(isRevisionOf(apiObject(made('two', 7)), wanted)).toBe(false);
  expect(Object(made('one', 1, 1)['metadata']).name).not.toBe(Object(made('one', 1)['metadata']).name);
});

test('surplusOf selects the oldest revisions beyond the limit that are not in use', () => {
  const all = [3, 1, 2, 4].map((number) => apiObject(made(`image ${number}`, number)));
  expect(sortRevisions(all).map(({ body }) => body['revision'])).toEqual([1, 2, 3, 4]);
  const live = new Set(all.filter(({ body }) => body['revision'] === 1).map(({ name }) => name));
  expect(revisionsBeyondLimit(all, live, 1).map(({ body }) => body['revision'])).toEqual([2, 3]);
});

describe('History', () => {
  const { client } = fakeClient({ dialect: 'kubernetes' });
  const history = new RevisionHistory({ client, resource: RESOURCE, label: 'hash', signal: new AbortController().signal });

  test('creates a revision for a new template, reuses the latest equal one and renumbers an older one as the latest', async () => {
    const first = await history.ensureCurrent(owner('one'), [], 0);
    expect(first).toMatchObject({ collisions: 0, revision: { body: { revision: 1 } } });
    expect((await history.ensureCurrent(owner('one'), [first.revision], 0)).revision.name).toBe(first.revision.name);
    const second = await history.ensureCurrent(owner('two'), [first.revision], 0);
    expect(second.revision.body['revision']).toBe(2);
    const again = await history.ensureCurrent(owner('one'), [first.revision, second.revision], 0);
    expect([again.revision.name, again.revision.body['revision']]).toEqual([first.revision.name, 3]);
    await history.delete([second.revision, second.revision]);
  });

  test('reuses a revision of the same owner, and chooses another name when another owner has taken it', async () => {
    const lost = await history.ensureCurrent(owner('three'), [], 0);
    expect((await history.ensureCurrent(owner('three'), [], 0)).revision.uid).toBe(lost.revision.uid);
    const { body } = owner('three');
    const other = apiObject({ ...body, metadata: { namespace: 'n', name: 'web', uid: 'another' } });
    const found = await history.ensureCurrent(other, [], 0);
    expect(found.collisions).toBe(1);
    expect(found.revision.name).not.toBe(lost.revision.name);
  });
});
