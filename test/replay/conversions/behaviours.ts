/**
 * The behaviours of conversion webhooks in recordings and tests. `good` converts between v1, which has an address in one
 * text, and v2, which has host and port; the others deviate from it in one respect or respond without a conversion.
 */
import { isBody, membersOf, objectsIn, textOf, type Body, type Json } from '../json-response';
import type { Reply } from '../webhooks/behaviours';

/** `request` is that of the review, `version` the API version of the review itself. */
export type Conversion = (request: Body, version: string) => Reply;

const bodyAt = (value: Body, member: string): Body => membersOf(value[member]);
const textAt = (value: Body, member: string): string => textOf(value[member]);
const objectsOf = ({ objects }: Body): readonly Body[] => objectsIn(objects);

const omit = (value: Body, ...members: readonly string[]): Body =>
  Object.fromEntries(Object.entries(value).filter(([member]) => !members.includes(member)));

/** Members of the spec that only one of the versions has, besides those that are converted. */
const MEMBERS_OF_ONE_VERSION = ['byFirst', 'onlyFirst', 'bySecond', 'onlySecond'];

/** Converts an object to the other version. Members that only one version has are lost; all others are kept. */
export function convertObject(object: Body, apiVersion: string): Body {
  const { address, host, port, ...spec } = omit(bodyAt(object, 'spec'), ...MEMBERS_OF_ONE_VERSION);
  const converted: Body = {};
  if (apiVersion.endsWith('/v1')) {
    if (host !== undefined) converted['address'] = `${textOf(host)}:${typeof port === 'number' ? port : 0}`;
  } else if (typeof address === 'string') {
    const [name = '', number = '0'] = address.split(':');
    Object.assign(converted, { host: name, port: Number(number) });
  }
  return {
    ...object,
    apiVersion,
    ...(object['spec'] === undefined ? {} : { spec: { ...spec, ...converted } }),
    ...(object['status'] === undefined ? {} : { status: omit(bodyAt(object, 'status'), 'ofV1', 'ofV2') }),
  };
}

interface Response {
  readonly [member: string]: Json;
}

const reviewReply = (version: string, response: Response): Reply => ({
  body: { apiVersion: version, kind: 'ConversionReview', response },
});

/** Converts all objects and then changes each. */
const withEachObject =
  (change: (object: Body, index: number, before: Body) => Json = (object) => object): Conversion =>
  (request, version) => {
    const wanted = textAt(request, 'desiredAPIVersion');
    const convertedObjects = objectsOf(request).map((object, index) => change(convertObject(object, wanted), index, object));
    return reviewReply(version, { uid: textAt(request, 'uid'), convertedObjects, result: { status: 'Success' } });
  };

/** Converts all objects and then changes the list. */
const withObjects =
  (change: (objects: readonly Json[]) => Json): Conversion =>
  (request, version) => {
    const wanted = textAt(request, 'desiredAPIVersion');
    const objects = objectsOf(request).map((object) => convertObject(object, wanted));
    return reviewReply(version, { uid: textAt(request, 'uid'), convertedObjects: change(objects), result: { status: 'Success' } });
  };

const withMetadata = (more: Body): Conversion =>
  withEachObject((object) => ({ ...object, metadata: { ...bodyAt(object, 'metadata'), ...more } }));
const withoutMetadata = (...members: readonly string[]): Conversion =>
  withEachObject((object) => ({ ...object, metadata: omit(bodyAt(object, 'metadata'), ...members) }));
const without = (member: string): Conversion => withEachObject((object) => omit(object, member));
const withSpec = (more: Body): Conversion => withEachObject((object) => ({ ...object, spec: { ...bodyAt(object, 'spec'), ...more } }));

const good = withEachObject();

/** Changes members of an otherwise good response. */
const withResponse =
  (more: Body, dropped: readonly string[] = []): Conversion =>
  (request, version) => {
    const reply = good(request, version);
    if (typeof reply === 'string' || !isBody(reply.body)) return reply;
    const response = { ...bodyAt(reply.body, 'response'), ...more };
    return reviewReply(version, omit(response, ...dropped));
  };

/** Changes members of the review around a good response. */
const withReview =
  (more: Body, dropped: readonly string[] = []): Conversion =>
  (request, version) => {
    const reply = good(request, version);
    if (typeof reply === 'string' || !isBody(reply.body)) return reply;
    return { body: omit({ ...reply.body, ...more }, ...dropped) };
  };

const failed = (result: Json, objects: Json = []): Conversion => withResponse({ result, convertedObjects: objects });
const plain =
  (body: Json, status = 200, headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' }): Conversion =>
  () => ({ status, headers, body });

const OTHER_UID = '11111111-2222-3333-4444-555555555555';

export const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  good,
  // Number and order of the objects.
  none: withObjects(() => []),
  'no-objects': withResponse({}, ['convertedObjects']),
  'null-objects': withResponse({ convertedObjects: null }),
  twice: withObjects((objects) => [...objects, ...objects]),
  'text-objects': withResponse({ convertedObjects: 'odd' }),
  'object-objects': withResponse({ convertedObjects: { a: 1 } }),
  // Metadata.
  labels: withMetadata({ labels: { converted: 'yes' }, annotations: { converted: 'yes' } }),
  'no-labels': withoutMetadata('labels', 'annotations'),
  'odd-labels': withMetadata({ labels: { a: 1 } }),
  'odd-annotations': withMetadata({ annotations: 'x' }),
  'bad-labels': withMetadata({ labels: { 'a b': 'c d' } }),
  rename: withMetadata({ name: 'renamed' }),
  'other-namespace': withMetadata({ namespace: 'elsewhere' }),
  'no-namespace': withoutMetadata('namespace'),
  'other-uid': withMetadata({ uid: OTHER_UID }),
  'no-uid': withoutMetadata('uid'),
  generation: withMetadata({ generation: 99 }),
  creation: withMetadata({ creationTimestamp: '2001-01-01T00:00:00Z' }),
  deletion: withMetadata({ deletionTimestamp: '2001-01-01T00:00:00Z' }),
  finalizers: withMetadata({ finalizers: ['example.com/f'] }),
  owners: withMetadata({ ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: OTHER_UID }] }),
  'resource-version': withMetadata({ resourceVersion: '7' }),
  'managed-fields': withMetadata({ managedFields: [] }),
  'unknown-metadata': withMetadata({ odd: 'x' }),
  'only-name': withEachObject((object) => {
    const { name = '', namespace = '', uid = '' } = bodyAt(object, 'metadata');
    return { ...object, metadata: { name, namespace, uid } };
  }),
  'no-metadata': without('metadata'),
  'text-metadata': withEachObject((object) => ({ ...object, metadata: 'x' })),
  'null-metadata': withEachObject((object) => ({ ...object, metadata: null })),
  // The objects themselves.
  'same-version': withEachObject((_object, _index, before) => before),
  'other-version': withEachObject((object) => ({ ...object, apiVersion: 'conversions.example.com/v3' })),
  'other-group': withEachObject((object) => ({ ...object, apiVersion: 'others.example.com/v2' })),
  'odd-version': withEachObject((object) => ({ ...object, apiVersion: 'a/b/c' })),
  'no-version': without('apiVersion'),
  'other-kind': withEachObject((object) => ({ ...object, kind: 'Gadget' })),
  'no-kind': without('kind'),
  'list-kind': withEachObject((object) => ({ ...object, kind: 'WidgetList', items: [] })),
  'null-object': withEachObject(() => null),
  'text-object': withEachObject(() => 'object'),
  'list-object': withEachObject(() => []),
  'number-object': withEachObject(() => 7),
  'empty-object': withEachObject(() => ({})),
  invalid: withSpec({ host: 7, port: 'x' }),
  'invalid-value': withSpec({ port: 0 }),
  'unknown-field': withSpec({ odd: 'x' }),
  'no-spec': without('spec'),
  'null-spec': withEachObject((object) => ({ ...object, spec: null })),
  'text-spec': withEachObject((object) => ({ ...object, spec: 'x' })),
  big: withSpec({ host: 'x'.repeat(3_000) }),
  // The review.
  'no-review-uid': withResponse({}, ['uid']),
  'other-review-uid': withResponse({ uid: OTHER_UID }),
  'no-response': withReview({}, ['response']),
  'null-response': withReview({ response: null }),
  'other-review-kind': withReview({ kind: 'AdmissionReview' }),
  'no-review-kind': withReview({}, ['kind']),
  'other-review-version': withReview({ apiVersion: 'apiextensions.k8s.io/v1beta1' }),
  'odd-review-version': withReview({ apiVersion: 'apiextensions.k8s.io/v7' }),
  'no-review-version': withReview({}, ['apiVersion']),
  'with-request': (request, version) => withReview({ request })(request, version),
  'unknown-members': withReview({ odd: 1 }),
  status: plain({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'as a status', reason: 'Conflict', code: 409 }),
  'no-result': withResponse({}, ['result']),
  'empty-result': failed({}),
  failure: failed({ status: 'Failure', message: 'no way' }),
  'failure-bare': failed({ status: 'Failure' }),
  'failure-reason': failed({ status: 'Failure', reason: 'Conflict', code: 409 }),
  'failure-whole': failed({ status: 'Failure', reason: 'Conflict', code: 409, message: 'taken', details: { name: 'n', kind: 'k' } }),
  'failure-with-objects': withResponse({ result: { status: 'Failure', message: 'and yet' } }),
  'failure-lines': failed({ status: 'Failure', message: 'one\ntwo "three"' }),
  'odd-result': failed({ status: 'Odd', message: 'odd' }),
  'text-result': failed('x'),
  // The HTTP response.
  text: plain('hello', 200, { 'content-type': 'text/plain' }),
  'typed-text': plain('hello'),
  empty: plain(''),
  'empty-body': plain({}),
  list: plain([]),
  null: plain(null),
  'cut-json': plain('{"kind":"ConversionReview",'),
  redirect: plain('', 302, { location: '/good' }),
  created: (request, version) => {
    const reply = good(request, version);
    return typeof reply === 'string' ? reply : { ...reply, status: 201 };
  },
  'not-found': plain('nothing here', 404, { 'content-type': 'text/plain' }),
  broken: plain('oh', 500, { 'content-type': 'text/plain' }),
  'broken-status': plain({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'told so', code: 503 }, 503),
  unauthorized: plain('', 401),
  busy: plain('', 429),
  cut: () => 'cut',
};
