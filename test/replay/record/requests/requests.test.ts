/** Tests the drivers of recordings with this API server in place of the reference server. */
import { readRecording } from '../../recording';
import { membersOf, objectNameOf, objectsIn, type Body } from '../../json-response';
import { anything } from '../../shape';
import { DRIVERS } from '../drivers';
import { useReferenceStandIn } from '../../../integration/http/reference-stand-in';

const server = useReferenceStandIn();

function recordAgain(recording: string): Promise<readonly unknown[]> {
  const { head } = readRecording(recording, anything, anything);
  const driver = DRIVERS.get(String(membersOf(head)['format']));
  if (driver === undefined) throw new Error(`${recording} has no driver`);
  return driver(recording, server());
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
  const before = await server().sendJson('GET', '/api/v1/namespaces');
  await recordAgain('requests/delete-finalizers');
  const after = await server().sendJson('GET', '/api/v1/namespaces');
  expect(namesIn(after.body)).toEqual(namesIn(before.body));
  expect(namesIn((await server().sendJson('GET', '/api/v1/configmaps')).body).filter((name) => name === 'a')).toEqual([]);
});

const namesIn = ({ items }: Body): readonly string[] => objectsIn(items).map(objectNameOf);
