/** The body of a ConversionReview that is built from parts. */
import { ReviewRequestBody } from './review-request';

const UID = 'the-uid';

describe('ReviewRequestBody', () => {
  it('contains objects of several parts byte for byte, and grows beyond its initial size', () => {
    const body = new ReviewRequestBody({ version: 'v1', uid: UID, desired: 'example.com/v2', dialect: 'kubernetes' }, 0);
    const long = Buffer.from(JSON.stringify({ long: 'é'.repeat(1_000) }));
    body.startObject();
    body.appendText('{"a":');
    body.appendBytes(Buffer.from('0123'), 1, 2);
    body.appendText('}');
    body.startObject();
    body.appendText('{"b":"é"}');
    body.startObject();
    body.appendBytes(long, 0, long.length);
    expect(JSON.parse(body.finish().toString())).toEqual({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      request: { uid: UID, desiredAPIVersion: 'example.com/v2', objects: [{ a: 1 }, { b: 'é' }, { long: 'é'.repeat(1_000) }] },
      response: { uid: '', convertedObjects: null, result: { metadata: {} } },
    });
  });

  it('uses the version and the spelling of the webhook', () => {
    const body = new ReviewRequestBody({ version: 'v1beta1', uid: UID, desired: 'v2', dialect: 'platform' }, 0);
    expect(body.finish().toString()).toContain('"apiVersion":"apiextensions.platform.io/v1beta1"');
  });
});
