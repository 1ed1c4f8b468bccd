import { FakeApi } from '../../../test/support/controllers/fake-api';
import { ServerPool } from './server-pool';
import { ConnectionError, type TransportRequest } from './transport';

const REQUEST: TransportRequest = { method: 'GET', path: '/api/v1/configmaps', headers: {} };

function setUp() {
  const [first, second] = [new FakeApi(), new FakeApi()];
  return { first, second, pool: new ServerPool([first, second]), requestCounts: () => [first.requests.length, second.requests.length] };
}

test('ServerPool repeats a request on the next server when one is unreachable, and stays with that server', async () => {
  const { first, pool, requestCounts } = setUp();
  first.intercept = () => new ConnectionError('refused', { wasSent: false });
  await pool.send(REQUEST);
  expect(requestCounts()).toEqual([1, 1]);
  await pool.send(REQUEST);
  expect(requestCounts()).toEqual([1, 2]);
});

test('ServerPool does not repeat a request with a lost response, and sends the next one to the next server', async () => {
  const { first, pool, requestCounts } = setUp();
  first.intercept = () => new ConnectionError('lost', { wasSent: true });
  await expect(pool.send(REQUEST)).rejects.toThrow('lost');
  expect(requestCounts()).toEqual([1, 0]);
  await pool.send(REQUEST);
  expect(requestCounts()).toEqual([1, 1]);
});
