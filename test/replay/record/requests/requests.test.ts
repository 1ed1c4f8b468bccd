/** Tests the drivers of recordings with this API server in place of the reference server. */
import { readRecording } from '../../recording';
import { isBody, type Json } from '../../json-response';
import { anything } from '../../shape';
import { DRIVERS } from '../drivers';
import { startReferenceStandIn, type ReferenceStandIn } from '../../../integration/http/reference-stand-in';

let own: ReferenceStandIn;

beforeAll(async () => {
  own = await startReferenceStandIn();
});

afterAll(() => own.stop());

function recordAgain(recording: string): Promise<readonly unknown[]> {
  const { head } = readRecording(recording, anything, anything);
  const format = isBody(head) ? head['format'] : undefined;
  const driver = typeof format === 'string' ? DRIVERS.get(format) : undefined;
  if (driver === undefined) throw new Error(`${recording} has no driver`);
  return driver(recording, own.server);
}

it.each([
  'apiregistration/api-services',
  'flow-control/defaults',
  'requests/delete-finalizers',
  'requests/field-managers',
  'values/addresses',
  'values/ranges',
  'values/within',
])('recording %s again changes nothing when the server responds as recorded', async (recording) => {
  const { head, cases } = readRecording(recording, anything, anything);
  expect(await recordAgain(recording)).toEqual([head, ...cases]);
});

it('recordRequests deletes its objects and its namespace', async () => {
  const before = await own.server.sendJson('GET', '/api/v1/namespaces');
  await recordAgain('requests/delete-finalizers');
  const after = await own.server.sendJson('GET', '/api/v1/namespaces');
  expect(namesIn(after.body)).toEqual(namesIn(before.body));
  expect(namesIn((await own.server.sendJson('GET', '/api/v1/configmaps')).body).filter((name) => name === 'a')).toEqual([]);
});

function namesIn({ items }: { readonly items?: Json }): readonly Json[] {
  const list = Array.isArray(items) ? items.filter(isBody) : [];
  return list.map(({ metadata }) => (isBody(metadata) ? (metadata['name'] ?? '') : ''));
}
