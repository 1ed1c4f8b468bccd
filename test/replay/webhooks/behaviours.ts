/** The behaviours of admission webhooks in recordings and tests, by the path of the request. */
import { membersOf, textOf, type Body, type Json } from '../json-response';

export type Reply = 'hang' | 'cut' | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: Json };

export type Behaviour = (request: Body) => Reply;

const review = (response: Json, more: Body = {}): Reply => ({
  body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response, ...more },
});
const respond =
  (response: Body): Behaviour =>
  (request) =>
    review({ uid: request['uid'] ?? '', allowed: true, ...response });
const deny = (status?: Body): Behaviour => respond({ allowed: false, ...(status === undefined ? {} : { status }) });

const encode = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64');
const patch = (...operations: Json[]): Behaviour => respond({ patchType: 'JSONPatch', patch: encode(operations) });
const add = (path: string, value: Json): Json => ({ op: 'add', path, value });

const dataOf = ({ object }: Body): Body => membersOf(membersOf(object)['data']);

/** Adds the member `adds` once the member `needs` exists. */
const stage =
  (needs: string, adds: string): Behaviour =>
  (request) => {
    const data = dataOf(request);
    return data[needs] === undefined || data[adds] !== undefined ? respond({})(request) : patch(add(`/data/${adds}`, 'yes'))(request);
  };

/** Counts its calls in a member of the object. */
const count =
  (member: string): Behaviour =>
  (request) => {
    const before = textOf(dataOf(request)[member]);
    return patch(add(`/data/${member}`, `${before}x`))(request);
  };

const LONG = 'w'.repeat(300);

export const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  allow: respond({}),
  'ready/marker': deny({ message: 'ready' }),
  deny: deny(),
  'deny-message': deny({ message: 'no way' }),
  'deny-reason': deny({ reason: 'because' }),
  'deny-both': deny({ reason: 'because', message: 'no way' }),
  'deny-code': deny({ code: 402, message: 'pay' }),
  'deny-code-200': deny({ code: 200, message: 'fine' }),
  'deny-code-600': deny({ code: 600, message: 'odd' }),
  'deny-code-only': deny({ code: 409 }),
  'deny-success': deny({ status: 'Success', message: 'good' }),
  'deny-whole': deny({
    status: 'Failure',
    code: 409,
    reason: 'Conflict',
    message: 'taken',
    details: { name: 'n', group: 'g', kind: 'k', causes: [{ reason: 'r', message: 'm', field: 'f' }], retryAfterSeconds: 3 },
  }),
  'deny-lines': deny({ message: 'one\ntwo "three"' }),
  'deny-warn': respond({ allowed: false, status: { message: 'no' }, warnings: ['careful'] }),
  warn: respond({ warnings: ['one', '', 'with "quotes"', 'two\nlines', 'über', LONG] }),
  'warn-twice': respond({ warnings: ['same', 'same'] }),
  'warn-much': respond({ warnings: Array.from({ length: 40 }, (_, at) => `${at}`.padEnd(250, 'm')) }),
  annotate: respond({ auditAnnotations: { key: 'value', 'an.other/key': 'x', 'bad key': 'y', UPPER: 'z', empty: '' } }),
  'patch-label': patch(add('/metadata/labels', { patched: 'yes' })),
  'patch-data': patch(add('/data/patched', 'yes')),
  'add-init-container': patch(add('/spec/initContainers', [{ name: 'added', image: 'added' }])),
  'patch-nothing': patch(),
  'patch-same': patch({ op: 'replace', path: '/data/a', value: '1' }),
  'patch-no-type': respond({ patch: encode([add('/data/patched', 'yes')]) }),
  'patch-other-type': respond({ patchType: 'MergePatch', patch: encode({ data: { patched: 'yes' } }) }),
  'patch-empty-type': respond({ patchType: '', patch: encode([add('/data/patched', 'yes')]) }),
  'patch-type-only': respond({ patchType: 'JSONPatch' }),
  'patch-no-base64': respond({ patchType: 'JSONPatch', patch: '!' }),
  'patch-no-json': respond({ patchType: 'JSONPatch', patch: Buffer.from('x').toString('base64') }),
  'patch-no-list': respond({ patchType: 'JSONPatch', patch: encode({}) }),
  'patch-null': respond({ patchType: 'JSONPatch', patch: encode(null) }),
  'patch-bad-operation': patch({ op: 'what', path: '/data/a' }),
  'patch-test-fails': patch({ op: 'test', path: '/data/a', value: 'nothing' }, add('/data/patched', 'yes')),
  'patch-no-place': patch(add('/a/b/c', 'x')),
  'patch-remove-missing': patch({ op: 'remove', path: '/data/missing' }),
  'patch-breaks': patch({ op: 'replace', path: '/data', value: 'text' }),
  'patch-unknown': patch(add('/what', 'x')),
  'patch-name': patch({ op: 'replace', path: '/metadata/name', value: 'other' }),
  'patch-namespace': patch({ op: 'replace', path: '/metadata/namespace', value: 'default' }),
  'patch-kind': patch({ op: 'replace', path: '/kind', value: 'Secret' }),
  'patch-version': patch({ op: 'replace', path: '/apiVersion', value: 'v2' }),
  'patch-uid': patch(add('/metadata/uid', '00000000-0000-0000-0000-000000000000')),
  'patch-invalid': patch(add('/metadata/labels', { 'a b': 'c d' })),
  'patch-whole': patch({ op: 'replace', path: '', value: 'text' }),
  'patch-deny': respond({ allowed: false, patchType: 'JSONPatch', patch: encode([add('/data/patched', 'yes')]) }),
  'stage-1': stage('start', 'stage-1'),
  'stage-2': stage('stage-1', 'stage-2'),
  'count-a': count('count-a'),
  'count-b': count('count-b'),
  text: () => ({ body: 'garbage', headers: { 'content-type': 'text/plain' } }),
  'typed-text': (request) => ({
    headers: { 'content-type': 'text/plain' },
    body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: request['uid'] ?? '', allowed: true } },
  }),
  empty: () => ({ body: '' }),
  'empty-object': () => ({ body: {} }),
  list: () => ({ body: [] }),
  'other-kind': (request) => review({ uid: request['uid'] ?? '', allowed: true }, { kind: 'Other' }),
  'other-version': (request) => review({ uid: request['uid'] ?? '', allowed: true }, { apiVersion: 'admission.k8s.io/v1beta1' }),
  'no-kind': (request) => ({ body: { response: { uid: request['uid'] ?? '', allowed: true } } }),
  'no-response': () => review(null),
  'no-uid': () => review({ allowed: true }),
  'other-uid': () => review({ uid: 'x', allowed: true }),
  'no-verdict': (request) => review({ uid: request['uid'] ?? '' }),
  'odd-verdict': respond({ allowed: 'yes' }),
  'unknown-member': respond({ what: 1 }),
  redirect: () => ({ status: 302, headers: { location: '/allow' }, body: '' }),
  'redirect-other-way': () => ({ status: 301, headers: { location: '/allow' }, body: '' }),
  'redirect-to-nowhere': () => ({ status: 307, body: '' }),
  'moved-denied': () => ({ status: 307, headers: { location: '/deny-message' }, body: '' }),
  'moved-patched': () => ({ status: 308, headers: { location: '/patch-data' }, body: '' }),
  'moved-twice': () => ({ status: 308, headers: { location: '/moved-denied' }, body: '' }),
  'moved-on-and-on': () => ({ status: 307, headers: { location: '/moved-on-and-on' }, body: '' }),
  'not-found': () => ({ status: 404, body: 'nothing here' }),
  broken: () => ({ status: 500, body: 'oh no' }),
  'broken-status': () => ({
    status: 500,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'very broken', reason: 'InternalError', code: 500 },
  }),
  'too-many': () => ({ status: 429, headers: { 'retry-after': '1' }, body: 'later' }),
  created: (request) => ({
    status: 201,
    body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: request['uid'] ?? '', allowed: true } },
  }),
  'ten-megabytes': () => ({ body: 'x'.repeat(10_000_000) }),
  hang: () => 'hang',
  cut: () => 'cut',
};
