/** Replays requests whose objects a webhook converts, over HTTPS, as recorded from release 1.31.1 (custom/conversion*). */
import { isConversionCase, isConversionHead, type ConversionCase, type ConversionStep } from '../../replay/conversions/case';
import { createNamespace, runConversionCase } from '../../replay/conversions/run-case';
import { recordingOf } from '../../replay/recording';
import { isBody, type Body, type Json } from '../../replay/reference';
import type { RequestTarget } from '../../replay/request-target';
import { compareBytes, stringifyJson } from '../../../shared/values/json';
import { startConversionServer } from '../../support/conversion-server';
import { withCollectionDeletion } from '../../support/deviating-steps';
import { useClosable } from '../../support/use-resource';
import { APPLY } from './call';
import { useServer } from './fixture';
import { RECORDED_USERS, targetOver } from './targets';

const RECORDINGS = ['conversions', 'conversion-owners', 'conversion-admission', 'conversion-failures'].map((name) =>
  recordingOf(`custom/${name}`, isConversionHead, isConversionCase),
);

const api = useServer({ naming: 'kubernetes', tokens: RECORDED_USERS });
const webhook = useClosable(() => startConversionServer());

const target: RequestTarget = {
  send(method, path, headers, sent, opened) {
    // Release 1.31.1 rejects unknown fields in an apply for every `fieldValidation`. The second version has no field `address`.
    const hasUnknownField = headers['content-type'] === APPLY && path.includes('/v2/') && sent.includes('"address"');
    return targetOver(api).send(method, hasUnknownField ? `${path}&fieldValidation=Strict` : path, headers, sent, opened);
  },
};
beforeAll(() => createNamespace(target));

const CASES = RECORDINGS.flatMap(({ head, cases }) => cases.map((recorded) => [recorded.title, head, recorded] as const));

test.each(CASES)('the case "%s" is answered as recorded', async (title, head, recorded) => {
  const expected = answersOf(recorded);
  const ours = answersOf(await runConversionCase(target, webhook(), head, recorded));
  const isCompared = (_: Json, at: number): boolean => !isUnanswered(expected[at] ?? null);
  expect(comparable(title, ours.filter(isCompared))).toEqual(comparable(title, expected.filter(isCompared)));
});

/** The answers of a case, in the order of the requests, each with the method and path of its request. */
function answersOf({ steps }: ConversionCase): readonly Json[] {
  const flat = (step: ConversionStep): Json[] => {
    const { method, path } = step.request;
    const answer = JSON.parse(JSON.stringify({ request: `${method} ${path}`, ...step.answer })) as Json;
    return [...(step.answer === undefined ? [] : [withCollectionDeletion(answer)]), ...(step.during ?? []).flatMap(flat)];
  };
  return steps.flatMap(flat);
}

/**
 * The recorded server answers 429 while it refills its cache of a version after a failure; this server has no such cache. It also closes the connections of some
 * clients whose request timeout is shorter than the webhook's.
 */
const UNANSWERED: ReadonlySet<number> = new Set([0, 429]);
/** The recorded server cannot apply a scale without managed fields. */
const UNCONVERTED = 'request to convert CR to an invalid group/version: autoscaling/v1';

const isUnanswered = (step: Json): boolean =>
  isBody(step) && (UNANSWERED.has(Number(step['status'])) || JSON.stringify(step).includes(UNCONVERTED));

/** By title, the differences from the recorded answers that are deliberate. */
const OTHERWISE: Readonly<Record<string, (text: string) => string>> = {
  // Redirects are not followed.
  'answer: redirect': (text) =>
    text.replaceAll(/Post \\"\/good\\": stopped after 10 redirects/g, 'the server answered with a redirect (302), which is not followed'),
  // What comes with a failure is not shown.
  'answer: broken': (text) => text.replaceAll(/server \(\\"oh\\"\)/g, 'server (\\"unknown\\")'),
  // An unknown field is 400 here, with another message.
  'applied in both versions': (text) =>
    text
      .replaceAll(/"(code|status)":500/g, '"$1":400')
      .replace(/"message":"[^"]*field not declared in schema"/, '"message":"unknown field","reason":"BadRequest"')
      .replace(/"message":"[^"\\]*(\\.[^"\\]*)*unknown field \\"spec.address\\""/, '"message":"unknown field"'),
  // Which way fails first depends on what the reference server has kept.
  'every request while it fails': (text) => text.replaceAll(/example.com\/v\d, Kind=Widget failed/g, 'example.com/v*, Kind=Widget failed'),
  // What is left of it is the same as before.
  'admission: to-first': (text) => text.replaceAll(/"generation":\d/g, '"generation":"*"'),
  // It bears neither kind nor version there.
  'it hangs, and the client does not wait': (text) =>
    text.replaceAll(
      '"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout',
      '"metadata":{},"status":"Failure","message":"Timeout',
    ),
  'place: another name': (text) => text.replaceAll(/ on [\d.]+:53/g, ''),
};

function comparable(title: string, answers: readonly Json[]): Json {
  const shown = JSON.stringify(masked([...answers])).replaceAll(NO_TIME, '');
  const alike: Json = JSON.parse(OTHERWISE[title]?.(shown) ?? shown);
  return alike;
}

/** Of an object that is sent without it. */
const NO_TIME = '"creationTimestamp":null,';
const SCALED = new Set(['creationTimestamp', 'managedFields', 'resourceVersion', 'uid']);

/** As other webhooks of admission see it here: the objects of a collection by their names, a scale as its object will be shown. They are asked at the same time. */
function ofWebhook(call: Json, { request: verb }: Body): Json {
  const request = isBody(call) && isBody(call['request']) ? call['request'] : {};
  const isCollection = /^DELETE \S*widgets$/.test(JSON.stringify(verb ?? '').slice(1, -1));
  const members = Object.entries(request).filter(([name]) => !(isCollection && name === 'name'));
  const shown = members.map(([name, value]) => [name, isBody(value) && value['kind'] === 'Scale' ? withoutPlace(value) : value]);
  return { ...(isBody(call) ? call : {}), request: Object.fromEntries(shown) };
}

function withoutPlace(scale: Body): Body {
  const { metadata = {} } = scale;
  return { ...scale, metadata: Object.fromEntries(Object.entries(isBody(metadata) ? metadata : {}).filter(([name]) => !SCALED.has(name))) };
}

/** Those of conflicts come in any order. */
const byText = (a: Json, b: Json): number => compareBytes(stringifyJson(a, 'sorted'), stringifyJson(b, 'sorted'));

/** They stand in the order of their times, which depends on when a second begins. */
const byOwner = (entries: readonly Json[]): Json[] => [...entries].sort((a, b) => (ownerOf(a) < ownerOf(b) ? -1 : 1));

const ownerOf = (entry: Json): string =>
  isBody(entry) ? JSON.stringify(['manager', 'operation', 'apiVersion', 'subresource'].map((member) => entry[member] ?? '')) : '';

/** What is told elsewhere, and what an object that is going away would be shown with if it stayed. */
function masked(value: Json): Json {
  if (Array.isArray(value)) return value.map(masked);
  if (!isBody(value)) return value;
  const { asked, ...rest } = value;
  if (Array.isArray(asked)) {
    const inner = masked(rest);
    return { ...(isBody(inner) ? inner : {}), asked: asked.map((call) => ofWebhook(masked(call), value)).sort(byText) };
  }
  if (Array.isArray(value['managedFields'])) return { ...value, managedFields: byOwner(value['managedFields']) };
  if (Array.isArray(value['causes'])) return { ...value, causes: [...value['causes']].sort(byText) };
  const { metadata, spec } = value;
  const isGoing = isBody(metadata) && metadata['deletionTimestamp'] !== undefined;
  const members = Object.entries(value).filter(
    ([name]) => name !== 'description' && !(value['kind'] === 'CustomResourceDefinition' && name === 'metadata'),
  );
  const shown = Object.fromEntries(members.map(([name, inner]) => [name, masked(inner)]));
  if (!isGoing || !isBody(spec)) return shown;
  const { bySecond: _, ...kept } = spec;
  return { ...shown, spec: kept };
}
