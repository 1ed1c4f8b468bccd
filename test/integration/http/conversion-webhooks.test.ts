/**
 * Replays requests for objects that a webhook converts, over HTTPS, as recorded from release 1.31.1
 * (custom/conversion*).
 */
import { isConversionCase, isConversionHead, type ConversionCase, type ConversionStep } from '../../replay/conversions/conversion-case';
import { createNamespace, runConversionCase } from '../../replay/conversions/run-case';
import { readRecording } from '../../replay/recording';
import { isBody, type Body, type Json } from '../../replay/json-response';
import type { RequestTarget } from '../../replay/requests/request-target';
import { compareBytes, stringifyJson } from '../../../shared/values/json';
import { startConversionServer } from '../../support/servers/conversion-server';
import { withCollectionDeletion } from '../../support/deviations/request-deviations';
import { useClosable } from '../../support/use-resource';
import { APPLY_PATCH } from './api-call';
import { useServer } from './fixture';
import { RECORDED_USERS, targetOver } from './request-targets';

const RECORDINGS = ['conversions', 'conversion-owners', 'conversion-admission', 'conversion-failures'].map((name) =>
  readRecording(`custom/${name}`, isConversionHead, isConversionCase),
);

const api = useServer({ naming: 'kubernetes', tokens: RECORDED_USERS });
const webhook = useClosable(() => startConversionServer());

const target: RequestTarget = {
  send(method, path, headers, body, opened) {
    // Release 1.31.1 rejects unknown fields in an apply for every `fieldValidation`. The second version has no field
    // `address`.
    const hasUnknownField = headers['content-type'] === APPLY_PATCH && path.includes('/v2/') && body.includes('"address"');
    return targetOver(api).send(method, hasUnknownField ? `${path}&fieldValidation=Strict` : path, headers, body, opened);
  },
};
beforeAll(() => createNamespace(target));

const CASES = RECORDINGS.flatMap(({ head, cases }) => cases.map((recorded) => [recorded.title, head, recorded] as const));

test.each(CASES)('the case "%s" gets the recorded response', async (title, head, recorded) => {
  const expected = responsesOf(recorded);
  const actual = responsesOf(await runConversionCase(target, webhook(), head, recorded));
  const isCompared = (_: Json, index: number): boolean => !isNotCompared(expected[index] ?? null);
  expect(comparable(title, actual.filter(isCompared))).toEqual(comparable(title, expected.filter(isCompared)));
});

/** The responses of a case, in the order of the requests, each with the method and path of its request. */
function responsesOf({ steps }: ConversionCase): readonly Json[] {
  const responsesOfStep = (step: ConversionStep): Json[] => {
    const { method, path } = step.request;
    const response = JSON.parse(JSON.stringify({ request: `${method} ${path}`, ...step.answer })) as Json;
    return [...(step.answer === undefined ? [] : [withCollectionDeletion(response)]), ...(step.during ?? []).flatMap(responsesOfStep)];
  };
  return steps.flatMap(responsesOfStep);
}

/**
 * The recorded server responds with 429 while it refills its cache of a version after a failure; this server has no
 * such cache. It also closes the connections of some clients with a request timeout that is shorter than the webhook's
 * (status 0).
 */
const UNCOMPARED_STATUSES: ReadonlySet<number> = new Set([0, 429]);
/** The recorded server cannot apply a scale without managed fields. */
const UNAPPLICABLE_SCALE = 'request to convert CR to an invalid group/version: autoscaling/v1';

const isNotCompared = (step: Json): boolean =>
  isBody(step) && (UNCOMPARED_STATUSES.has(Number(step['status'])) || JSON.stringify(step).includes(UNAPPLICABLE_SCALE));

/** By title, the differences from the recorded responses that are deliberate. */
const DEVIATIONS: Readonly<Record<string, (text: string) => string>> = {
  // This server does not follow redirects.
  'answer: redirect': (text) =>
    text.replaceAll(/Post \\"\/good\\": stopped after 10 redirects/g, 'the server responded with a redirect (302), which is not followed'),
  // This server does not print the body of a failed response.
  'answer: broken': (text) => text.replaceAll(/server \(\\"oh\\"\)/g, 'server (\\"unknown\\")'),
  // This server rejects an unknown field with 400 and another message.
  'applied in both versions': (text) =>
    text
      .replaceAll(/"(code|status)":500/g, '"$1":400')
      .replace(/"message":"[^"]*field not declared in schema"/, '"message":"unknown field","reason":"BadRequest"')
      .replace(/"message":"[^"\\]*(\\.[^"\\]*)*unknown field \\"spec.address\\""/, '"message":"unknown field"'),
  // The version that fails first depends on the cache of the reference server.
  'every request while it fails': (text) => text.replaceAll(/example.com\/v\d, Kind=Widget failed/g, 'example.com/v*, Kind=Widget failed'),
  // The pruned object is unchanged, so that the generations differ.
  'admission: to-first': (text) => text.replaceAll(/"generation":\d/g, '"generation":"*"'),
  // This Status has neither kind nor apiVersion on the reference server.
  'it hangs, and the client does not wait': (text) =>
    text.replaceAll(
      '"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout',
      '"metadata":{},"status":"Failure","message":"Timeout',
    ),
  // The reference server names the DNS server that it asked.
  'place: another name': (text) => text.replaceAll(/ on [\d.]+:53/g, ''),
};

/** The reference server adds this to objects that are sent without a creationTimestamp. */
const NULL_CREATION_TIMESTAMP = '"creationTimestamp":null,';
const SCALE_SERVER_FIELDS = new Set(['creationTimestamp', 'managedFields', 'resourceVersion', 'uid']);

/** The responses as they are compared: without differences that mean nothing, and without those of the case's deviation. */
function comparable(title: string, responses: readonly Json[]): Json {
  const shownText = JSON.stringify(masked([...responses])).replaceAll(NULL_CREATION_TIMESTAMP, '');
  const compared: Json = JSON.parse(DEVIATIONS[title]?.(shownText) ?? shownText);
  return compared;
}

/**
 * A recorded admission review without deliberate differences: this server sends the name of each object of a deleted
 * collection, and a scale with the metadata of its object.
 */
function comparableReview(call: Json, { request: verb }: Body): Json {
  const request = isBody(call) && isBody(call['request']) ? call['request'] : {};
  const isCollection = /^DELETE \S*widgets$/.test(JSON.stringify(verb ?? '').slice(1, -1));
  const members = Object.entries(request).filter(([name]) => !(isCollection && name === 'name'));
  const compared = members.map(([name, value]) => [name, isBody(value) && value['kind'] === 'Scale' ? withoutServerFields(value) : value]);
  return { ...(isBody(call) ? call : {}), request: Object.fromEntries(compared) };
}

function withoutServerFields(scale: Body): Body {
  const { metadata = {} } = scale;
  return {
    ...scale,
    metadata: Object.fromEntries(Object.entries(isBody(metadata) ? metadata : {}).filter(([name]) => !SCALE_SERVER_FIELDS.has(name))),
  };
}

/** Sorts entries that have no defined order, such as the causes of a conflict and concurrent reviews. */
const byText = (a: Json, b: Json): number => compareBytes(stringifyJson(a, 'sorted'), stringifyJson(b, 'sorted'));

/** managedFields are sorted by time, and the order of entries of one second is arbitrary. */
const sortedByManager = (entries: readonly Json[]): Json[] => [...entries].sort((a, b) => (managerKeyOf(a) < managerKeyOf(b) ? -1 : 1));

const managerKeyOf = (entry: Json): string =>
  isBody(entry) ? JSON.stringify(['manager', 'operation', 'apiVersion', 'subresource'].map((member) => entry[member] ?? '')) : '';

/**
 * Leaves out descriptions, the metadata of definitions, and `spec.bySecond` of terminating objects, and sorts lists
 * without a defined order.
 */
function masked(value: Json): Json {
  if (Array.isArray(value)) return value.map(masked);
  if (!isBody(value)) return value;
  // The reviews that the webhook received during a step.
  const { asked: reviews, ...others } = value;
  if (Array.isArray(reviews)) {
    const maskedOthers = masked(others);
    const asked = reviews.map((review) => comparableReview(masked(review), value)).sort(byText);
    return { ...(isBody(maskedOthers) ? maskedOthers : {}), asked };
  }
  if (Array.isArray(value['managedFields'])) return { ...value, managedFields: sortedByManager(value['managedFields']) };
  if (Array.isArray(value['causes'])) return { ...value, causes: [...value['causes']].sort(byText) };
  const { metadata, spec } = value;
  const isTerminating = isBody(metadata) && metadata['deletionTimestamp'] !== undefined;
  const members = Object.entries(value).filter(
    ([name]) => name !== 'description' && !(value['kind'] === 'CustomResourceDefinition' && name === 'metadata'),
  );
  const maskedObject = Object.fromEntries(members.map(([name, inner]) => [name, masked(inner)]));
  if (!isTerminating || !isBody(spec)) return maskedObject;
  const { bySecond: _bySecond, ...comparedSpec } = spec;
  return { ...maskedObject, spec: comparedSpec };
}
