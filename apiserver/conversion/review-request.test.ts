import { ReviewBody } from './review-request';

const UID = 'the-uid';

it('ReviewBody contains the objects byte for byte, and grows beyond its initial size', () => {
  const body = new ReviewBody({ version: 'v1', uid: UID, desired: 'example.com/v2', dialect: 'kubernetes' }, 0);
  const long = Buffer.from(JSON.stringify({ long: 'é'.repeat(1_000) }));
  body.next();
  body.text('{"a":');
  body.bytes(Buffer.from('0123'), 1, 2);
  body.text('}');
  body.next();
  body.text('{"b":"é"}');
  body.next();
  body.bytes(long, 0, long.length);
  expect(JSON.parse(body.finished().toString())).toEqual({
    kind: 'ConversionReview',
    apiVersion: 'apiextensions.k8s.io/v1',
    request: { uid: UID, desiredAPIVersion: 'example.com/v2', objects: [{ a: 1 }, { b: 'é' }, { long: 'é'.repeat(1_000) }] },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  });
});

it('ReviewBody uses the version and the spelling of the webhook', () => {
  const body = new ReviewBody({ version: 'v1beta1', uid: UID, desired: 'v2', dialect: 'platform' }, 0);
  expect(body.finished().toString()).toContain('"apiVersion":"apiextensions.platform.io/v1beta1"');
});
