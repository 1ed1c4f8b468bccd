import type { ConversionReviewVersion } from '../../shared/api/structural/version';
import type { JsonValue } from '../../shared/values/json';
import { ConversionFailure } from './conversion-failure';
import { readReviewResponse } from './review-response';

const UID = 'the-uid';
const review = (response: JsonValue, more: Readonly<Record<string, JsonValue>> = {}): string =>
  JSON.stringify({ kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', response, ...more });
const good = { uid: UID, convertedObjects: [{ a: 1 }], result: { status: 'Success' } };

const read = (text: string, version: ConversionReviewVersion = 'v1', reader = readReviewResponse): unknown => {
  const answer = reader(version, UID, Buffer.from(text), 'kubernetes');
  return answer instanceof ConversionFailure ? answer.text : Array.from({ length: answer.count }, (_, at) => answer.at(at));
};

it('ConversionReview response in either spelling yields its objects', () => {
  expect(read(review(good))).toEqual([{ a: 1 }]);
  expect(read(review(good, { apiVersion: 'apiextensions.platform.io/v1' }))).toEqual([{ a: 1 }]);
});

it.each<readonly [string, string, RegExp]>([
  ['with another uid', review({ ...good, uid: 'other' }), /^failed: expected response\.uid="the-uid", got "other"$/],
  ['without a response', review(null), /^failed: no response provided$/],
  ['that is a string', 'hello', /cannot unmarshal string/],
  ['that is truncated', '{"kind":', /unexpected end of JSON input/],
  ['that is a list', '[]', /cannot unmarshal array/],
  ['of another kind', review(good, { kind: 'AdmissionReview' }), /no kind "AdmissionReview" is registered/],
  ['of another version', review(good, { apiVersion: 'apiextensions.k8s.io/v1beta1' }), /converting \(v1beta1\.ConversionReview\)/],
  ['whose convertedObjects is not a list', review({ ...good, convertedObjects: 'x' }), /ConversionResponse\.response\.convertedObjects/],
  ['with status Failure', review({ ...good, result: { status: 'Failure', message: 'no way' } }), /^failed: no way$/],
  ['without a status', review({ ...good, result: {} }), /^failed: response\.result\.status was '', not 'Success'$/],
])('ConversionReview response %s is rejected', (_title, text, words) => {
  expect(read(text)).toMatch(words);
});

it('ConversionReview failure message is truncated to 4,096 characters', () => {
  const message = read(review({ ...good, result: { status: 'Failure', message: 'x'.repeat(100_000) } }));
  expect(String(message)).toHaveLength('failed: '.length + 4_096);
});

it('ConversionReview v1beta1 response is accepted with any uid', () => {
  const text = review({ ...good, uid: '' }, { apiVersion: 'apiextensions.k8s.io/v1beta1' });
  expect(read(text, 'v1beta1')).toEqual([{ a: 1 }]);
});
