/**
 * The behaviours of admission webhooks in recordings and tests, by the path of the request. Those that are data stand in
 * behaviours.yaml.
 */
import { readTable } from '../../support/read-table';
import { membersOf, textOf, type Body, type Json } from '../json-response';
import { anything, body, listOf, mapOf, number, shape, text, type Checked } from '../shape';

/** A body that is not a text is sent as JSON. The status is 200 when absent. */
export const isHttpReply = shape({ body: anything }, { status: number, headers: mapOf(text) });

/** `hang` never responds, `cut` closes the connection. */
export type Reply = 'hang' | 'cut' | Checked<typeof isHttpReply>;

/** `request` is that of the review. */
export type Behaviour = (request: Body) => Reply;

/** A review with this response. */
const review = (response: Json, more: Body = {}): { readonly body: Json } => ({
  body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response, ...more },
});
/** The response that allows a request. */
const allowingResponse = (request: Body): Body => ({ uid: request['uid'] ?? '', allowed: true });
/** Allows the request, with further members of the response. */
const respond =
  (members: Body): Behaviour =>
  (request) =>
    review({ ...allowingResponse(request), ...members });

const encode = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64');
const patch = (operations: Json): Behaviour => respond({ patchType: 'JSONPatch', patch: encode(operations) });
const addData = (member: string, value: Json): Behaviour => patch([{ op: 'add', path: `/data/${member}`, value }]);

const dataOf = ({ object }: Body): Body => membersOf(membersOf(object)['data']);

/** Adds the member `adds` once the member `needs` exists. */
const stage =
  (needs: string, adds: string): Behaviour =>
  (request) => {
    const data = dataOf(request);
    return data[needs] === undefined || data[adds] !== undefined ? respond({})(request) : addData(adds, 'yes')(request);
  };

/** Counts its calls in a member of the object. */
const count =
  (member: string): Behaviour =>
  (request) =>
    addData(member, `${textOf(dataOf(request)[member])}x`)(request);

/** The members of a response with the patch in base64, unless it is a text. */
const withEncodedPatch = ({ patch: sent, ...members }: Body): Body =>
  sent === undefined ? members : { ...members, patch: typeof sent === 'string' ? sent : encode(sent) };

const table = readTable(
  'test/replay/webhooks/behaviours.yaml',
  shape({
    responses: mapOf(body),
    patches: mapOf(listOf(body)),
    replies: mapOf(isHttpReply),
    widgetPatches: mapOf(body),
  }),
);

/** The behaviours in a section of a table, by the same names. */
export const behavioursIn = <T, B>(section: Readonly<Record<string, T>>, behaviourOf: (row: T) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(section).map(([name, row]) => [name, behaviourOf(row)]));

/** By the path of the request, without the slash. */
export const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  warn: respond({ warnings: ['one', '', 'with "quotes"', 'two\nlines', 'über', 'w'.repeat(300)] }),
  'warn-much': respond({ warnings: Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(250, 'm')) }),
  'stage-1': stage('start', 'stage-1'),
  'stage-2': stage('stage-1', 'stage-2'),
  'count-a': count('count-a'),
  'count-b': count('count-b'),
  'typed-text': (request) => ({ headers: { 'content-type': 'text/plain' }, ...review(allowingResponse(request)) }),
  'other-kind': (request) => review(allowingResponse(request), { kind: 'Other' }),
  'other-version': (request) => review(allowingResponse(request), { apiVersion: 'admission.k8s.io/v1beta1' }),
  'no-kind': (request) => ({ body: { response: allowingResponse(request) } }),
  'no-verdict': (request) => review({ uid: request['uid'] ?? '' }),
  created: (request) => ({ status: 201, ...review(allowingResponse(request)) }),
  'ten-megabytes': () => ({ body: 'x'.repeat(10_000_000) }),
  hang: () => 'hang',
  cut: () => 'cut',
  ...behavioursIn(table.responses, (members) => respond(withEncodedPatch(members))),
  ...behavioursIn(table.patches, (operations) => patch([...operations])),
  ...behavioursIn(table.replies, (reply) => () => reply),
};

const { allow, 'deny-message': deny, 'ready/marker': marker } = BEHAVIOURS;

/** The behaviours of admission webhooks beside a conversion webhook. */
export const WIDGET_BEHAVIOURS: Readonly<Record<string, Behaviour | undefined>> = {
  allow,
  deny,
  'ready/marker': marker,
  ...behavioursIn(table.widgetPatches, (operation) => patch([operation])),
};
