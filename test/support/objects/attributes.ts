/** Attributes of requests for tests of authorizers. */
import { canonicalGroup } from '../../../shared/names/dialect';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import type { Attributes, ResourceAttributes } from '../../../apiserver/authorization/authorizer';

const GET_PODS: ResourceAttributes = {
  kind: 'resource',
  verb: 'get',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'n',
  name: '',
};

/** A request to get pods in the namespace `n`, with the given changes. */
export const resourceAttributes = (changes: Partial<Omit<ResourceAttributes, 'kind'>> = {}): ResourceAttributes => ({
  ...GET_PODS,
  ...changes,
});

/** The attributes in the spec of a SubjectAccessReview. */
export function reviewedAttributes(spec: JsonObject): Attributes {
  const nonResource = objectAt(spec, 'nonResourceAttributes');
  const resource = objectAt(spec, 'resourceAttributes');
  const text = (member: string): string => stringAt(resource ?? nonResource, member) ?? '';
  if (nonResource !== undefined) return { kind: 'path', verb: text('verb'), path: text('path') };
  return {
    kind: 'resource',
    verb: text('verb'),
    group: canonicalGroup(text('group')),
    version: '',
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
  };
}
