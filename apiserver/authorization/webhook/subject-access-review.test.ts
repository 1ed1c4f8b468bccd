/** The SubjectAccessReview that a webhook receives, and the decision that is read from its response. */
import { resourceAttributes } from '../../../test/support/objects/attributes';
import type { Decision } from '../authorizer';
import { readDecision, subjectAccessReviewBody, subjectAccessReviewSpec } from './subject-access-review';

const user = { name: 'ann', uid: '7', groups: ['devs'], extra: { 'example.com/x': ['1', '2'] } };
const getRole = resourceAttributes({ group: 'rbac.authorization.platform.io', resource: 'roles' });

describe('SubjectAccessReview of the webhook', () => {
  it('contains the user and a resource request in the configured spelling', () => {
    expect(subjectAccessReviewSpec(user, getRole, 'kubernetes')).toEqual({
      resourceAttributes: { namespace: 'n', verb: 'get', group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'roles' },
      user: 'ann',
      uid: '7',
      groups: ['devs'],
      extra: { 'example.com/x': ['1', '2'] },
    });
  });

  it('contains the path and verb of a request outside the resource API', () => {
    expect(subjectAccessReviewSpec({ name: 'x', groups: [] }, { kind: 'path', verb: 'get', path: '/x' }, 'platform')).toEqual({
      user: 'x',
      nonResourceAttributes: { path: '/x', verb: 'get' },
    });
  });

  it('names the configured version and spelling', () => {
    const spec = { user: 'ann', groups: ['devs'] };
    expect(JSON.parse(subjectAccessReviewBody(spec, 'v1', 'kubernetes').toString())).toMatchObject({
      apiVersion: 'authorization.k8s.io/v1',
      spec: { user: 'ann', groups: ['devs'] },
    });
    expect(JSON.parse(subjectAccessReviewBody(spec, 'v1beta1', 'platform').toString())).toMatchObject({
      apiVersion: 'authorization.platform.io/v1beta1',
      spec: { user: 'ann', group: ['devs'] },
    });
  });

  it('spells signer names in the configured spelling', () => {
    const named = (dialect: 'platform' | 'kubernetes') =>
      subjectAccessReviewSpec({ name: 'x', groups: [] }, resourceAttributes({ resource: 'signers', name: 'platform.io/s' }), dialect);
    expect(named('kubernetes')).toMatchObject({ resourceAttributes: { name: 'kubernetes.io/s' } });
    expect(named('platform')).toMatchObject({ resourceAttributes: { name: 'platform.io/s' } });
  });

  it.each<[text: string, type: Decision['type'] | undefined]>([
    ['{"status":{"allowed":true,"reason":"r"}}', 'allow'],
    ['{"status":{"allowed":false}}', 'no-opinion'],
    ['{"status":{"allowed":false,"denied":true}}', 'deny'],
    ['{"status":{"allowed":true,"denied":true}}', undefined],
    ['{"status":{}}', 'no-opinion'],
    ['{}', undefined],
    ['[]', undefined],
    ['<html>', undefined],
  ])('reads the response %s as the decision %s', (text, type) => expect(readDecision(Buffer.from(text))?.type).toBe(type));
});
