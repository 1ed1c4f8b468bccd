/** The representations that Accept headers select, and the errors for those that select none. */
import { negotiate, negotiateStatus } from './negotiation';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

it.each([
  [undefined, { media: 'json', transform: 'none' }],
  ['', { media: 'json' }],
  ['*/*', { media: 'json' }],
  ['application/yaml', { media: 'yaml' }],
  ['text/html, application/yaml;q=0.1, application/json;q=0.9', { media: 'json' }],
  ['application/json;q=0', { media: 'json' }],
  ['application/json;q=abc;charset=utf-8', { media: 'json' }],
  ['application/vnd.kubernetes.protobuf,application/json', { media: 'protobuf', dialect: 'kubernetes' }],
  [`${TABLE},application/json`, { media: 'json', transform: 'table', dialect: 'kubernetes', metaVersion: 'v1' }],
  ['application/json;as=Table;v=v1beta1;g=meta.platform.io', { transform: 'table', dialect: 'platform', metaVersion: 'v1beta1' }],
  ['application/json;as=Table;v=v9;g=meta.k8s.io,application/json', { transform: 'none' }],
  ['application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', { media: 'protobuf', transform: 'partialList' }],
  ['application/json;stream=watch', { media: 'json', pretty: false }],
  ['application/json; pretty=1;q=0.5', { media: 'json', pretty: true }],
  ['application/json;pretty=true', { media: 'json', pretty: false }],
  ['application/json;q=0.1;pretty=1,application/json', { media: 'json', pretty: false }],
])('negotiate selects the representation for Accept: %s', (accept, expected) => {
  expect(negotiate(accept, 'object', 'platform')).toMatchObject(expected);
});

/** The media types that the errors list, for bodies and for streams. */
const BODY_TYPES = 'application/json, application/yaml, application/vnd.platform.protobuf';
const STREAM_TYPES = 'application/json;stream=watch, application/vnd.platform.protobuf;stream=watch';

it.each([
  ['application/*', 'object', `406: Not Acceptable\n\nAvailable representations: ${BODY_TYPES}`],
  ['APPLICATION/JSON', 'object', `406: Not Acceptable\n\nAvailable representations: ${BODY_TYPES}`],
  ['text/html', 'watchable', `406: Not Acceptable\n\nAvailable representations: ${BODY_TYPES}, ${STREAM_TYPES}`],
  ['application/yaml', 'watch', `only the following media types are accepted: ${STREAM_TYPES}`],
  ['application/yaml;stream=watch', 'object', `only the following media types are accepted: ${BODY_TYPES}`],
  [
    'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io',
    'object',
    `only the following media types are accepted: ${BODY_TYPES}`,
  ],
  ['application/json;as=Table;v=v1', 'object', `only the following media types are accepted: ${BODY_TYPES}`],
  ['application/json;v=v1;g=meta.k8s.io', 'object', `only the following media types are accepted: ${BODY_TYPES}`],
] as const)('negotiate rejects Accept: %s for %s', (accept, offer, message) => {
  expect(() => negotiate(accept, offer, 'platform')).toThrow(message);
});

it('negotiateStatus selects the first representation without a transform', () => {
  expect(negotiateStatus(`${TABLE},application/yaml`)).toMatchObject({ media: 'yaml' });
});

it.each([TABLE, 'image/png'])('negotiateStatus selects nothing for Accept: %s', (accept) => {
  expect(negotiateStatus(accept)).toBeUndefined();
});
