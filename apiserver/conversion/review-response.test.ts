/** The responses of a conversion webhook that are accepted, and the messages about the others. */
import type { ConversionReviewVersion } from '../../shared/api/structural/version';
import type { JsonValue } from '../../shared/values/json';
import { ConversionFailure } from './conversion-failure';
import { readReviewResponse } from './review-response';

const UID = 'the-uid';
/** A response; `members` replaces members of the review. */
const review = (response: JsonValue, members: Readonly<Record<string, JsonValue>> = {}): string =>
  JSON.stringify({ kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', response, ...members });
const success = { uid: UID, convertedObjects: [{ a: 1 }], result: { status: 'Success' } };

/** The objects of a response, or the text of the failure. */
const read = (text: string, version: ConversionReviewVersion = 'v1'): unknown => {
  const objects = readReviewResponse(version, UID, Buffer.from(text), 'kubernetes');
  return objects instanceof ConversionFailure ? objects.text : Array.from({ length: objects.count }, (_, index) => objects.at(index));
};

describe('readReviewResponse', () => {
  it('returns the objects of a response in either spelling', () => {
    expect(read(review(success))).toEqual([{ a: 1 }]);
    expect(read(review(success, { apiVersion: 'apiextensions.platform.io/v1' }))).toEqual([{ a: 1 }]);
  });

  it.each<readonly [title: string, text: string, message: RegExp]>([
    ['with another uid', review({ ...success, uid: 'other' }), /^failed: expected response\.uid="the-uid", got "other"$/],
    ['without a response', review(null), /^failed: no response provided$/],
    ['that is a string', 'hello', /cannot unmarshal string/],
    ['that is truncated', '{"kind":', /unexpected end of JSON input/],
    ['that is a list', '[]', /cannot unmarshal array/],
    ['of another kind', review(success, { kind: 'AdmissionReview' }), /no kind "AdmissionReview" is registered/],
    ['of another version', review(success, { apiVersion: 'apiextensions.k8s.io/v1beta1' }), /converting \(v1beta1\.ConversionReview\)/],
    [
      'whose convertedObjects is not a list',
      review({ ...success, convertedObjects: 'x' }),
      /ConversionResponse\.response\.convertedObjects/,
    ],
    ['with status Failure', review({ ...success, result: { status: 'Failure', message: 'no way' } }), /^failed: no way$/],
    ['without a status', review({ ...success, result: {} }), /^failed: response\.result\.status was '', not 'Success'$/],
  ])('rejects a response %s', (_title, text, message) => {
    expect(read(text)).toMatch(message);
  });

  it('truncates the message of the webhook to 4,096 characters', () => {
    const message = read(review({ ...success, result: { status: 'Failure', message: 'x'.repeat(100_000) } }));
    expect(String(message)).toHaveLength('failed: '.length + 4_096);
  });

  it('accepts any uid in a response of v1beta1', () => {
    const text = review({ ...success, uid: '' }, { apiVersion: 'apiextensions.k8s.io/v1beta1' });
    expect(read(text, 'v1beta1')).toEqual([{ a: 1 }]);
  });
});
