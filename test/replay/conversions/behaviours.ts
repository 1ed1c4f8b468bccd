/**
 * The behaviours of conversion webhooks in recordings and tests. `good` converts between v1, which has an address in one
 * text, and v2, which has host and port; the others deviate from it in one respect or respond without a conversion. Those
 * that are data stand in behaviours.yaml.
 */
import { readTable } from '../../support/read-table';
import { isBody, membersOf, objectsIn, textOf, type Body, type Json } from '../json-response';
import { anything, body, listOf, mapOf, shape, text } from '../shape';
import { behavioursIn, isHttpReply, type Reply } from '../webhooks/behaviours';

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

const reviewReply = (version: string, response: Body): Reply => ({
  body: { apiVersion: version, kind: 'ConversionReview', response },
});

/** Converts all objects and then changes each; `before` is the object as it was sent. */
const withEachObject =
  (change: (object: Body, index: number, before: Body) => Json = (object) => object): Conversion =>
  (request, version) => {
    const desiredVersion = textAt(request, 'desiredAPIVersion');
    const convertedObjects = objectsOf(request).map((object, index) => change(convertObject(object, desiredVersion), index, object));
    return reviewReply(version, { uid: textAt(request, 'uid'), convertedObjects, result: { status: 'Success' } });
  };

const good = withEachObject();

/** Changes the review with a good response. */
const withReview =
  (change: (review: Body, request: Body) => Body): Conversion =>
  (request, version) => {
    const reply = good(request, version);
    return typeof reply === 'string' || !isBody(reply.body) ? reply : { ...reply, body: change(reply.body, request) };
  };

/** Changes a good response in the review. */
const withResponse = (change: (response: Body) => Body): Conversion =>
  withReview((review) => ({ ...review, response: change(bodyAt(review, 'response')) }));

/** Changes the list of converted objects. */
const withObjects = (change: (objects: readonly Json[]) => Json[]): Conversion =>
  withResponse((response) => ({ ...response, convertedObjects: change(objectsIn(response['convertedObjects'])) }));

/** The object with these members, or without them. */
const changed = (members: Body, object: Body): Body => ({ ...object, ...members });
const without = (members: readonly string[], object: Body): Body => omit(object, ...members);
/** Converts all objects and changes one member of each. */
const inMember = (member: string, change: (inner: Body) => Body): Conversion =>
  withEachObject((object) => ({ ...object, [member]: change(bodyAt(object, member)) }));

const JSON_REPLY = { status: 200, headers: { 'content-type': 'application/json' } };

const membersByName = mapOf(body);
const namesByName = mapOf(listOf(text));
const table = readTable(
  'test/replay/conversions/behaviours.yaml',
  shape({
    metadata: membersByName,
    metadataWithout: namesByName,
    spec: membersByName,
    object: membersByName,
    objectWithout: namesByName,
    insteadOfObject: mapOf(anything),
    response: membersByName,
    responseWithout: namesByName,
    review: membersByName,
    reviewWithout: namesByName,
    http: mapOf(isHttpReply),
  }),
);

/** By the name of the behaviour. */
export const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  good,
  none: withObjects(() => []),
  twice: withObjects((objects) => [...objects, ...objects]),
  'same-version': withEachObject((_object, _index, before) => before),
  'only-name': inMember('metadata', ({ name = '', namespace = '', uid = '' }) => ({ name, namespace, uid })),
  big: inMember('spec', (spec) => ({ ...spec, host: 'x'.repeat(3_000) })),
  'with-request': withReview((review, request) => ({ ...review, request })),
  created: (request, version) => {
    const reply = good(request, version);
    return typeof reply === 'string' ? reply : { ...reply, status: 201 };
  },
  cut: () => 'cut',
  ...behavioursIn(table.metadata, (members) => inMember('metadata', (metadata) => changed(members, metadata))),
  ...behavioursIn(table.metadataWithout, (members) => inMember('metadata', (metadata) => without(members, metadata))),
  ...behavioursIn(table.spec, (members) => inMember('spec', (spec) => changed(members, spec))),
  ...behavioursIn(table.object, (members) => withEachObject((object) => changed(members, object))),
  ...behavioursIn(table.objectWithout, (members) => withEachObject((object) => without(members, object))),
  ...behavioursIn(table.insteadOfObject, (value) => withEachObject(() => value)),
  ...behavioursIn(table.response, (members) => withResponse((response) => changed(members, response))),
  ...behavioursIn(table.responseWithout, (members) => withResponse((response) => without(members, response))),
  ...behavioursIn(table.review, (members) => withReview((review) => changed(members, review))),
  ...behavioursIn(table.reviewWithout, (members) => withReview((review) => without(members, review))),
  ...behavioursIn(table.http, (reply) => () => ({ ...JSON_REPLY, ...reply })),
};
