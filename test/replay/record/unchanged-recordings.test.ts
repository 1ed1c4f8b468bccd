/** Drivers of recordings, with this API server in place of the reference server: where it answers as recorded, a recording stays as it is. */
import { recordingOf } from '../recording';
import { isBody } from '../reference';
import { anything } from '../shape';
import { DRIVERS } from './drivers';
import { startOwnServer, type OwnServer } from './own-server';

let own: OwnServer;

beforeAll(async () => {
  own = await startOwnServer();
});

afterAll(() => own.stop());

it.each([
  'custom/decoding',
  'custom/paths',
  'custom/updates',
  'expressions/definitions',
  'expressions/updates',
  'objects/mutations',
  'proxies/requests',
])('recording %s again from a server that answers as recorded changes nothing', async (recording) => {
  const { head, cases } = recordingOf(recording, anything, anything);
  const format = isBody(head) ? head['format'] : undefined;
  const driver = typeof format === 'string' ? DRIVERS.get(format) : undefined;
  expect(await driver?.(recording, own.server)).toEqual([head, ...cases]);
});
